import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { Connection } from "../../declare/socket.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledEndpoint, MessageCodec } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { reportFault } from "../response/fault.ts";
import { refusalOf } from "../response/refusal.ts";
import { SendBuffer } from "./send-buffer.ts";

/**
 * Limit: incoming messages of a socket that wait for its handler. While the queue is full, fw stops reading from the
 * client.
 */
export const socketQueue = 16;

/** Limit: milliseconds between two pings of a socket. */
export const socketPingMs = 30_000;

/** Limit: milliseconds for the client to respond to a close frame. */
export const socketCloseMs = 1_000;

/** Limit: bytes of the reason in a close frame. */
export const socketReasonBytes = 123;

/** The close codes that fw sends. */
const codes = { over: 1000, away: 1001, notText: 1003, invalid: 1007, failed: 1011, stalled: 1013 } as const;

/** The reasons in the close frames that fw sends. */
const reasons = {
  away: "the service closed the connection; open another one",
  notText: "messages must be JSON text",
  stalled: "the client reads messages too slowly",
} as const;

/** The base of the application's close codes: a refusal with status 403 closes with 4403. */
const refusedCode = 4000;

/** A WebSocket as a message connection. Incoming messages wait in a queue. While it is full, the socket is paused. */
export class OpenConnection implements Connection<unknown, unknown> {
  readonly #socket: WebSocket;
  readonly #request: Request;
  readonly #codec: MessageCodec;
  readonly #received: unknown[] = [];
  #wakeReader: (() => void) | undefined;
  #isOver = false;
  readonly #buffer: SendBuffer;
  /**
   * The payload of a ping that has no pong yet. It is random, so its pong proves that the client has read everything
   * sent before.
   */
  #pingPayload: Buffer | undefined;

  constructor(socket: WebSocket, request: Request, endpoint: BundledEndpoint) {
    this.#socket = socket;
    this.#request = request;
    this.#codec = endpoint.socket as MessageCodec;
    this.#buffer = new SendBuffer(socket, () => this.#end(codes.stalled, reasons.stalled));
    const beats = setInterval(() => this.#beat(), socketPingMs).unref();
    socket.on("pong", (data) => {
      if (this.#pingPayload?.equals(data)) this.#pingPayload = undefined;
    });
    // Sends no pong while earlier data is buffered: a client could send pings without reading.
    socket.on("ping", (data) => {
      if (socket.bufferedAmount === 0) socket.pong(data);
    });
    // After a protocol error, the library closes the socket with the right code itself.
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => this.#take(data as Buffer, isBinary));
    socket.on("close", () => {
      clearInterval(beats);
      this.#finish();
    });
  }

  async send(message: unknown): Promise<boolean> {
    const { encode } = this.#codec;
    const text = encode === undefined ? JSON.stringify(message) : encode(message);
    return this.#buffer.send(text);
  }

  close(code: number = codes.over, reason = ""): void {
    if (code !== codes.over && !(Number.isInteger(code) && code >= refusedCode && code <= 4999))
      throw new RangeError(`the code of close() must be 1000 or from 4000 to 4999, not ${code}`);
    if (Buffer.byteLength(reason) > socketReasonBytes)
      throw new RangeError(`the reason of close() must have at most ${socketReasonBytes} bytes`);
    this.#end(code, reason, true);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    for (;;) {
      if (this.#received.length > 0) {
        const message = this.#received.shift();
        if (this.#socket.isPaused && this.#received.length < socketQueue) this.#socket.resume();
        yield message;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
  }

  /** Closes the connection because the handler has returned. */
  end(): void {
    this.#end(codes.over, "", true);
  }

  /** Closes the connection because the service stops or its time is up, so the client reconnects. */
  leave(): void {
    this.#end(codes.away, reasons.away);
  }

  /**
   * Closes the connection because the handler failed. Sends a refusal to the client, and logs any other error unless it
   * only reports an abort.
   */
  fail(error: unknown): void {
    if (this.#request.signal.aborted && (error as Error | undefined)?.name === "AbortError") return this.end();
    const refusal = refusalOf(error);
    if (refusal !== undefined) return this.#end(refusedCode + refusal.status, refusal.message, true);
    reportFault(this.#request, error);
    this.#end(codes.failed, messages.internal, true);
  }

  onceClosed(listener: () => void): void {
    this.#socket.once("close", listener);
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    if (isBinary) return this.#end(codes.notText, reasons.notText);
    try {
      const { decode, exactIntegers } = this.#codec;
      this.#received.push(decode(parseJSON(bytes, exactIntegers)));
    } catch (error) {
      if (error instanceof BadInput) return this.#end(codes.invalid, error.message.replace(/^body\b/, "message"));
      throw error;
    }
    if (this.#received.length >= socketQueue) this.#socket.pause();
    this.#wake();
  }

  /**
   * Sends a close frame, and cuts the connection if the client does not respond in time. With `canDrain`, a client that
   * is still reading earlier messages gets more time.
   */
  #end(code: number, reason: string, canDrain = false): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#finish();
    this.#socket.close(code, shortenReason(reason));
    this.#socket.resume();
    let buffered = this.#socket.bufferedAmount;
    const timer = setInterval(() => {
      const remaining = this.#socket.bufferedAmount;
      if (!canDrain || remaining === 0 || remaining >= buffered) this.#socket.terminate();
      buffered = remaining;
    }, socketCloseMs);
    this.#socket.once("close", () => clearInterval(timer));
  }

  /** Ends the message iteration and aborts the handler's signal. */
  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#buffer.close();
    this.#wake();
    this.#request.abort(new DOMException("the connection has ended", "AbortError"));
  }

  #wake(): void {
    this.#wakeReader?.();
    this.#wakeReader = undefined;
  }

  #beat(): void {
    if (this.#pingPayload !== undefined) return this.#socket.terminate();
    this.#pingPayload = randomBytes(8);
    this.#socket.ping(this.#pingPayload);
  }
}

/** Truncates a reason to fit a close frame without splitting a character. */
function shortenReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.byteLength <= socketReasonBytes) return reason;
  return bytes
    .subarray(0, socketReasonBytes)
    .toString()
    .replace(/\uFFFD+$/u, "");
}
