import { BadInput } from "../../decode/bad-input.ts";
import { messages } from "../../error-messages.ts";

/** Limit: bytes of one part's header lines. */
const multipartHeaderBytes = 16 * 1024;

/** Receives the parts of a multipart body in order, as chunks are parsed. `data` must copy bytes that it keeps. */
export interface PartSink {
  /** Starts a part with its header lines, each preceded by a CRLF. */
  header(lines: Buffer): void;
  data(bytes: Buffer): void;
  end(): void;
}

/** The maximum number of spaces and tabs after a boundary on its line. */
const paddingBytes = 64;

const blankLine = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;
const dash = 0x2d;

/**
 * Splits a multipart body into its parts (RFC 2046) as chunks arrive. Takes linear time for any chunk sizes, and
 * buffers little more than a delimiter and one part's header. Throws a BadInput for a malformed body.
 */
export class MultipartParser {
  /** The boundary with the line break and dashes that precede it. */
  readonly #delimiter: Buffer;
  readonly #sink: PartSink;
  readonly #header = Buffer.allocUnsafe(multipartHeaderBytes);
  #headerLength = 0;
  #state: "preamble" | "delimiter" | "header" | "data" | "epilogue" = "preamble";
  // Simulates a line break before the first delimiter, because the body may omit it there.
  #rest: Buffer = Buffer.from("\r\n");
  #consumed = 0;

  constructor(boundary: string, sink: PartSink) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#sink = sink;
  }

  write(chunk: Buffer): void {
    const bytes = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at: number | undefined = 0;
    while (at !== undefined) {
      this.#consumed = at;
      at = this.#step(bytes, at);
    }
    this.#rest = this.#state === "epilogue" ? Buffer.alloc(0) : Buffer.from(bytes.subarray(this.#consumed));
  }

  end(): void {
    if (this.#state !== "epilogue") throw new BadInput(messages.multipart("it ends before its last boundary"));
  }

  /** Parses from `at` and returns the next position; undefined if nothing more can be parsed from `bytes`. */
  #step(bytes: Buffer, at: number): number | undefined {
    if (this.#state === "epilogue") return undefined;
    if (this.#state === "delimiter") return this.#afterDelimiter(bytes, at);
    return this.#state === "header" ? this.#headerLines(bytes, at) : this.#content(bytes, at);
  }

  #content(bytes: Buffer, start: number): number | undefined {
    const delimiterStart = bytes.indexOf(this.#delimiter, start);
    const end = delimiterStart === -1 ? this.#keptFrom(bytes, start) : delimiterStart;
    this.#data(bytes.subarray(start, end));
    if (delimiterStart === -1) {
      this.#consumed = end;
      return undefined;
    }
    if (this.#state === "data") this.#sink.end();
    this.#state = "delimiter";
    return delimiterStart + this.#delimiter.byteLength;
  }

  /**
   * Returns where an incomplete delimiter at the end of `bytes` starts, or else the end. A boundary contains no CR, so
   * only the last CR matters.
   */
  #keptFrom(bytes: Buffer, start: number): number {
    const tail = Math.max(start, bytes.byteLength - this.#delimiter.byteLength + 1);
    const last = bytes.subarray(tail).lastIndexOf(CR);
    if (last === -1) return bytes.byteLength;
    const from = tail + last;
    const begins = bytes.compare(this.#delimiter, 0, bytes.byteLength - from, from) === 0;
    return begins ? from : bytes.byteLength;
  }

  #data(bytes: Buffer): void {
    if (this.#state === "data" && bytes.byteLength > 0) this.#sink.data(bytes);
  }

  #afterDelimiter(bytes: Buffer, start: number): number | undefined {
    let at = start;
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
    if (at - start > paddingBytes) throw new BadInput(messages.multipart("too many spaces after a boundary"));
    if (at + 1 >= bytes.byteLength) return undefined;
    if (at === start && bytes[at] === dash && bytes[at + 1] === dash) {
      this.#state = "epilogue";
      return undefined;
    }
    if (bytes[at] !== CR || bytes[at + 1] !== LF) {
      throw new BadInput(messages.multipart("a boundary is not on its own line"));
    }
    this.#state = "header";
    this.#headerLength = 0;
    return at;
  }

  /** Collects header lines up to a blank line in a fixed buffer, so many small chunks cost no more than a large one. */
  #headerLines(bytes: Buffer, start: number): number | undefined {
    const previousLength = this.#headerLength;
    const room = this.#header.byteLength - previousLength;
    const copied = bytes.copy(this.#header, previousLength, start, Math.min(bytes.byteLength, start + room));
    this.#headerLength += copied;
    const lines = this.#header.subarray(0, this.#headerLength);
    const blank = lines.indexOf(blankLine, Math.max(0, previousLength - blankLine.byteLength));
    if (blank === -1) {
      if (copied === room)
        throw new BadInput(messages.multipart(`a part's header is longer than ${multipartHeaderBytes} bytes`));
      this.#consumed = start + copied;
      return undefined;
    }
    this.#state = "data";
    this.#sink.header(lines.subarray(0, blank));
    return start + (blank + blankLine.byteLength - previousLength);
  }
}
