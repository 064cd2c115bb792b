/** The maximum size in bytes of a frame's header. Anything longer is not a header. */
const longestHeader = 4_096;

const headerEnd = "\r\n\r\n";

/** Frames a message for JSON-RPC over pipes. */
export function framed(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}${headerEnd}${body}`;
}

/** Thrown if the input does not consist of frames, so that the start of the next message is unknown. */
export class FrameError extends Error {}

/** Extracts messages from the chunks of a pipe. */
export class MessageReader {
  readonly #received: (body: Buffer) => void;
  readonly #largest: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** The size in bytes of the next message with its header; 0 if unknown. */
  #wanted = 0;

  constructor(received: (body: Buffer) => void, largest: number = Number.MAX_SAFE_INTEGER) {
    this.#received = received;
    this.#largest = largest;
  }

  /**
   * Adds a chunk, and emits the messages that are now complete. After it throws a FrameError, the reader is unusable.
   */
  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return;
    const bytes = Buffer.concat(this.#chunks);
    const rest = bytes.subarray(this.#read(bytes));
    this.#chunks = [rest];
    this.#size = rest.length;
  }

  /** Emits the complete messages and returns the end of the last one. */
  #read(bytes: Buffer): number {
    let at = 0;
    this.#wanted = 0;
    for (;;) {
      const head = bytes.subarray(at, at + longestHeader).indexOf(headerEnd);
      if (head === -1) {
        if (bytes.length - at >= longestHeader) throw new FrameError("a message has no header");
        return at;
      }
      const start = at + head + headerEnd.length;
      const end = start + this.#length(bytes.toString("latin1", at, at + head));
      if (end > bytes.length) {
        this.#wanted = end - at;
        return at;
      }
      this.#received(bytes.subarray(start, end));
      at = end;
    }
  }

  #length(header: string): number {
    const [, digits] = /^Content-Length: *(\d{1,15})\s*$/im.exec(header) ?? [];
    if (digits === undefined) throw new FrameError("a message has no Content-Length");
    if (Number(digits) > this.#largest) throw new FrameError(`a message has more than ${this.#largest} bytes`);
    return Number(digits);
  }
}
