import type { Readable } from "node:stream";
import type { Body, BodyReader, Headers } from "./exchange.ts";

/** A stream of node's as a body. */
export class ReadableBody implements Body {
  readonly #stream: Readable;
  #reader: BodyReader | undefined = undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** A stream that was read to its end closes itself. */
  get isOpen(): boolean {
    return !this.#stream.destroyed || this.#stream.readableEnded;
  }

  read(reader: BodyReader): void {
    const stream = this.#stream;
    const isFirst = this.#reader === undefined;
    this.#reader = reader;
    if (!isFirst) return void stream.resume();
    // It would say nothing any more.
    if (stream.destroyed) return process.nextTick(() => reader.end(false));
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

/** Bytes of the body that the request announces; 0 where it has none, undefined where it comes in chunks. */
export function announcedBytes(request: Headers): number | undefined {
  if (request.header("transfer-encoding") !== undefined) return undefined;
  const length = request.header("content-length");
  return length === undefined ? 0 : Number(length);
}
