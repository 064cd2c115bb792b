import type { Readable } from "node:stream";
import type { Body, BodyReader, Headers } from "./exchange.ts";

export class ReadableBody implements Body {
  readonly #stream: Readable;
  #reader: BodyReader | undefined = undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** Also true for a stream that was read to its end, because such a stream destroys itself. */
  get isOpen(): boolean {
    return !this.#stream.destroyed || this.#stream.readableEnded;
  }

  read(reader: BodyReader): void {
    const stream = this.#stream;
    const isFirst = this.#reader === undefined;
    this.#reader = reader;
    if (!isFirst) return void stream.resume();
    // A stream that was destroyed or has ended emits no more events. With `optimizeEmptyRequests`, an empty body ends
    // before it is read.
    if (stream.destroyed || stream.readableEnded) {
      const isWhole = stream.readableEnded;
      return process.nextTick(() => reader.end(isWhole));
    }
    stream.on("data", (chunk: Buffer) => this.#reader?.take(chunk));
    stream.on("end", () => this.#reader?.end(true));
    stream.on("error", () => this.#reader?.end(false));
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }
}

/** Returns the announced size of the body in bytes: 0 if there is none, undefined if it is chunked. */
export function announcedBytes(request: Headers): number | undefined {
  if (request.header("transfer-encoding") !== undefined) return undefined;
  const length = request.header("content-length");
  return length === undefined ? 0 : Number(length);
}
