import { StatusError } from "../../declare/errors.ts";
import { unreadBytes } from "../../lib/limits.ts";
import type { BodyReader, Exchange } from "../exchange/exchange.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { messages } from "../error-messages.ts";

/** Thrown if the client disconnected before its body was complete, so no response can reach it. */
export class Disconnected extends Error {
  constructor() {
    super("the client disconnected before its body arrived");
  }
}

/** Sends 100-continue if the client waits for it. Throws a 415 for an encoded body. */
export function askForBody(exchange: Exchange): void {
  const encoding = exchange.header("content-encoding");
  if (encoding !== undefined && !isIdentity(encoding)) throw new StatusError(415, messages.encodedBody);
  if (exchange.waitsToSend) exchange.ask();
}

function isIdentity(encoding: string): boolean {
  return /^\s*(?:identity)?\s*$/i.test(encoding);
}

/** Receives the complete body or an error, which is a 413 or Disconnected. */
export type Received = (error: Error | undefined, body: Buffer) => void;

const empty = Buffer.alloc(0);

/**
 * Receives the complete body. Refuses a body of more than `limit` bytes with a 413 and does not read the rest. Throws
 * the same errors as `askForBody`.
 */
export function receiveBody(exchange: Exchange, limit: number, received: Received): void {
  const announced = announcedBytes(exchange);
  if (announced !== undefined && announced > limit) return received(tooLarge(limit), empty);
  if (announced === 0) return received(undefined, empty);
  askForBody(exchange);
  exchange.read(new WholeBody(exchange, limit, received));
}

/** Collects a body until it ends or reaches the limit. */
class WholeBody implements BodyReader {
  readonly #exchange: Exchange;
  readonly #limit: number;
  readonly #received: Received;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(exchange: Exchange, limit: number, received: Received) {
    this.#exchange = exchange;
    this.#limit = limit;
    this.#received = received;
  }

  take(chunk: Buffer): void {
    const isOver = this.#bytes > this.#limit;
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#limit) return void this.#chunks.push(chunk);
    this.#exchange.pause();
    if (!isOver) this.#received(tooLarge(this.#limit), empty);
  }

  end(whole: boolean): void {
    if (this.#bytes > this.#limit) return;
    if (!whole) return this.#received(new Disconnected(), empty);
    const [first = empty] = this.#chunks;
    this.#received(undefined, this.#chunks.length < 2 ? first : Buffer.concat(this.#chunks, this.#bytes));
  }
}

/** Returns the result of `receiveBody` as a promise. */
export function readBody(exchange: Exchange, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    receiveBody(exchange, limit, (error, body) => (error === undefined ? resolve(body) : reject(error)));
  });
}

/**
 * Waits for the end of a chunked body that the endpoint does not read, so broken framing is refused before the handler
 * runs. Stops reading after `unreadBytes`.
 */
export function passOverChunks(exchange: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    receiveBody(exchange, unreadBytes, (error) => (error instanceof Disconnected ? reject(error) : resolve()));
  });
}

/** Creates the refusal of a body above its limit. */
export function tooLarge(limit: number): StatusError {
  return new StatusError(413, messages.tooLarge(limit));
}

/** Returns the body's media type in lower case, without parameters; "" if there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return "";
  const semicolon = contentType.indexOf(";");
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** True if the type names no charset other than UTF-8 and its subset US-ASCII. */
export function isUTF8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset);
}
