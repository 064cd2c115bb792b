import { StatusError } from "../../declare/errors.ts";
import { unreadBytes } from "../../lib/limits.ts";
import { messages } from "../messages.ts";
import type { Request } from "../request.ts";

/** Thrown where the client went away before its body had come: there is nobody to answer. */
export class Disconnected extends Error {}

/** Bytes that the request announces; 0 when it has no body, undefined when the body comes in chunks. */
export function announcedBytes({ req }: Request): number | undefined {
  if (req.headers["transfer-encoding"] !== undefined) return undefined;
  const length = req.headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

/** Tells a client that waits for it to send the body. Throws a StatusError 415 for one that would have to be unpacked first. */
export function askForBody(request: Request): void {
  const encoding = request.req.headers["content-encoding"];
  if (encoding !== undefined && !isIdentity(encoding)) throw new StatusError(415, messages.encodedBody);
  if (!request.expectsContinue || request.asked) return;
  request.asked = true;
  request.res.writeContinue();
}

function isIdentity(encoding: string): boolean {
  return /^\s*(?:identity)?\s*$/i.test(encoding);
}

/** Takes the whole body, or the error that stands for it: a StatusError 413, or Disconnected. */
export type Received = (error: Error | undefined, body: Buffer) => void;

const empty = Buffer.alloc(0);

/** Receives the whole body. Beyond `limit` bytes it is refused with 413, the rest being unread then. Throws as `askForBody`. */
export function receiveBody(request: Request, limit: number, received: Received): void {
  const announced = announcedBytes(request);
  if (announced !== undefined && announced > limit) return received(tooLarge(limit), empty);
  if (announced === 0) return received(undefined, empty);
  askForBody(request);
  const chunks: Buffer[] = [];
  drainInto(
    request,
    limit,
    (chunk) => chunks.push(chunk),
    (error, bytes) => {
      if (error !== undefined || bytes > limit) return received(error ?? tooLarge(limit), empty);
      received(undefined, chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes));
    },
  );
}

/** `receiveBody` as a promise. */
export function readBody(request: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    receiveBody(request, limit, (error, body) => (error === undefined ? resolve(body) : reject(error)));
  });
}

/**
 * Waits for the end of a chunked body that nobody reads, so that broken framing is refused before a handler acts on
 * the request. Beyond `unreadBytes` it is left unread.
 */
export function passOverChunks(request: Request): Promise<void> {
  askForBody(request);
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined): void => (error === undefined ? resolve() : reject(error));
    drainInto(request, unreadBytes, () => {}, done);
  });
}

/** Gives the body's chunks to `take` until its end, or until there are more than `limit` bytes; then says how many. */
function drainInto(
  request: Request,
  limit: number,
  take: (chunk: Buffer) => void,
  done: (error: Error | undefined, bytes: number) => void,
): void {
  const { req } = request;
  let bytes = 0;
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= limit) return take(chunk);
    req.removeAllListeners("data").pause();
    done(undefined, bytes);
  });
  req.on("end", () => done(undefined, bytes));
  req.on("error", () => done(new Disconnected("the client went away before its body had come"), bytes));
}

function tooLarge(limit: number): StatusError {
  return new StatusError(413, messages.tooLarge(limit));
}

/** The media type of the body in lower case, without parameters; "" when there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return "";
  const semicolon = contentType.indexOf(";");
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** True where the type names no charset besides UTF-8. */
export function isUTF8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset);
}
