import { FrameError } from "../../lib/message-frames.ts";
import type { Wire } from "../../lsp/connection.ts";

/** The maximum size of a message in bytes. A message may contain the files of a route call. */
const largestLine = 32 * 1024 * 1024;

const newline = 0x0a;

/** Frames messages for the stdio transport of the Model Context Protocol: each is one line of JSON. */
export const lineWire: Wire = {
  read: (received) => new LineReader(received, largestLine),
  frame: (body) => `${body}\n`,
  cancelMethod: "notifications/cancelled",
  cancelledId: "requestId",
};

/** Splits bytes that arrive in chunks of any size into lines. */
export class LineReader {
  readonly #received: (line: Buffer) => void;
  readonly #largest: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(received: (line: Buffer) => void, largest: number) {
    this.#received = received;
    this.#largest = largest;
  }

  /** Throws a FrameError for a line that exceeds the limit. The reader is unusable after that. */
  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#end();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#largest) throw new FrameError(`a message has more than ${this.#largest} bytes`);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #end(): void {
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    // Some clients separate messages with blank lines.
    if (line.some((byte) => byte !== 0x20 && byte !== 0x0d && byte !== 0x09)) this.#received(line);
  }
}
