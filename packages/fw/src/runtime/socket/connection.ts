import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { Connection } from "../../declare/socket.ts";
import { socketCloseMs, socketPingMs, socketQueue, socketReasonBytes } from "../../lib/limits.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledEndpoint, MessageCodec } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { reportFault } from "../response/fault.ts";
import { refusalOf } from "../response/refusal.ts";
import { SendBuffer } from "./send-buffer.ts";

/** Codes of RFC 6455 with which a connection ends. */
const codes = { over: 1000, away: 1001, notText: 1003, invalid: 1007, failed: 1011, stalled: 1013 } as const;

/** Why it ends, where fw decides it: what a close frame says to people. */
const reasons = {
  away: "the connection ends here; open another one",
  notText: "messages are JSON text",
  stalled: "messages are not read fast enough",
} as const;

/** Of the application's own: a refusal with the status 403 ends with 4403. */
const refusedCode = 4000;

/** A connection of messages. They wait to be asked for, and when a few do, no more are read of what the visitor sends. */
export class OpenConnection implements Connection<unknown, unknown> {
  readonly #socket: WebSocket;
  readonly #request: Request;
  readonly #codec: MessageCodec;
  readonly #came: unknown[] = [];
  #waiting: (() => void) | undefined;
  #isOver = false;
  readonly #buffer: SendBuffer;
  /**
   * The payload of the ping that awaits its pong. No client can guess it: one that answers has read everything sent
   * before.
   */
  #pinged: Buffer | undefined;

  constructor(socket: WebSocket, request: Request, endpoint: BundledEndpoint) {
    this.#socket = socket;
    this.#request = request;
    this.#codec = endpoint.socket as MessageCodec;
    this.#buffer = new SendBuffer(socket, () => this.#end(codes.stalled, reasons.stalled));
    const beats = setInterval(() => this.#beat(), socketPingMs).unref();
    socket.on("pong", (data) => {
      if (this.#pinged?.equals(data)) this.#pinged = undefined;
    });
    // Who asks faster than they read is answered once.
    socket.on("ping", (data) => {
      if (socket.bufferedAmount === 0) socket.pong(data);
    });
    // What breaks the protocol is closed with its code by who reads the frames.
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
      throw new RangeError(`a connection is closed with 1000, or a code from 4000 to 4999, and not with ${code}`);
    if (Buffer.byteLength(reason) > socketReasonBytes)
      throw new RangeError(`the reason of a close has at most ${socketReasonBytes} bytes`);
    this.#end(code, reason, true);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    for (;;) {
      if (this.#came.length > 0) {
        const message = this.#came.shift();
        if (this.#socket.isPaused && this.#came.length < socketQueue) this.#socket.resume();
        yield message;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
  }

  /** The handler has nothing more to do. */
  end(): void {
    this.#end(codes.over, "", true);
  }

  /** The service stops, or a connection may take no longer: the visitor comes back. */
  leave(): void {
    this.#end(codes.away, reasons.away);
  }

  /** The handler has failed: a refusal of its own is told, anything else is in the log. */
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
      this.#came.push(decode(parseJSON(bytes, exactIntegers)));
    } catch (error) {
      if (error instanceof BadInput) return this.#end(codes.invalid, error.message.replace(/^body\b/, "message"));
      throw error;
    }
    if (this.#came.length >= socketQueue) this.#socket.pause();
    this.#wake();
  }

  /**
   * Sends a close frame, and cuts the connection when the client does not answer it in time. With `canDrain` a client
   * that is still reading what was sent before gets the time for it.
   */
  #end(code: number, reason: string, canDrain = false): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#finish();
    this.#socket.close(code, shortened(reason));
    this.#socket.resume();
    let buffered = this.#socket.bufferedAmount;
    const timer = setInterval(() => {
      const left = this.#socket.bufferedAmount;
      if (!canDrain || left === 0 || left >= buffered) this.#socket.terminate();
      buffered = left;
    }, socketCloseMs);
    this.#socket.once("close", () => clearInterval(timer));
  }

  /** No message comes any more, and whoever works on one learns it. */
  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#buffer.close();
    this.#wake();
    this.#request.abort(new DOMException("the connection has ended", "AbortError"));
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  #beat(): void {
    if (this.#pinged !== undefined) return this.#socket.terminate();
    this.#pinged = randomBytes(8);
    this.#socket.ping(this.#pinged);
  }
}

/** As much of a reason as a close frame takes, cut between two characters. */
function shortened(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.byteLength <= socketReasonBytes) return reason;
  return bytes
    .subarray(0, socketReasonBytes)
    .toString()
    .replace(/\uFFFD+$/u, "");
}
