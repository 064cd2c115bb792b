import { BadInput } from "../../decode/bad-input.ts";
import { messages } from "../../error-messages.ts";

/** Limit: bytes of one part's header lines. */
const multipartHeaderBytes = 16 * 1024;

/** What a multipart body turns out to hold, in order. Called while a chunk is parsed; `data` may be kept only as a copy. */
export interface PartSink {
  /** The header lines of a new part, each with the CRLF before it. */
  header(lines: Buffer): void;
  data(bytes: Buffer): void;
  end(): void;
}

type State = "preamble" | "delimiter" | "header" | "data" | "epilogue";

/** Blanks that may follow a boundary on its line. */
const paddingBytes = 64;

const blankLine = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;
const dash = 0x2d;

/**
 * Splits a multipart body into its parts (RFC 2046) as its chunks arrive. Linear in their bytes, however they are cut;
 * holds less than a delimiter and one part's header. Throws a BadInput where the body is not one.
 */
export class MultipartParser {
  /** The boundary with the line break and the dashes before it. */
  readonly #delimiter: Buffer;
  readonly #sink: PartSink;
  readonly #header = Buffer.allocUnsafe(multipartHeaderBytes);
  #headerLength = 0;
  #state: State = "preamble";
  // The first delimiter needs no line break before it when nothing comes before it.
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

  /** The body is over. */
  end(): void {
    if (this.#state !== "epilogue") throw new BadInput(messages.multipart("it ends before its last boundary"));
  }

  /** Parses on from `at`. Undefined when that takes more bytes than there are; `#consumed` tells from which on. */
  #step(bytes: Buffer, at: number): number | undefined {
    if (this.#state === "epilogue") return undefined;
    if (this.#state === "delimiter") return this.#afterDelimiter(bytes, at);
    return this.#state === "header" ? this.#headerLines(bytes, at) : this.#content(bytes, at);
  }

  #content(bytes: Buffer, start: number): number | undefined {
    const found = bytes.indexOf(this.#delimiter, start);
    const end = found === -1 ? this.#keptFrom(bytes, start) : found;
    this.#data(bytes.subarray(start, end));
    if (found === -1) {
      this.#consumed = end;
      return undefined;
    }
    if (this.#state === "data") this.#sink.end();
    this.#state = "delimiter";
    return found + this.#delimiter.byteLength;
  }

  /** Where a delimiter may begin that the next chunk goes on with; a boundary holds no CR, so only at the last one. */
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
    if (at - start > paddingBytes) throw new BadInput(messages.multipart("too many blanks after a boundary"));
    if (at + 1 >= bytes.byteLength) return undefined;
    if (at === start && bytes[at] === dash && bytes[at + 1] === dash) {
      this.#state = "epilogue";
      return undefined;
    }
    if (bytes[at] !== CR || bytes[at + 1] !== LF) {
      throw new BadInput(messages.multipart("a boundary is not on a line of its own"));
    }
    this.#state = "header";
    this.#headerLength = 0;
    return at;
  }

  /** Collects the lines up to a blank one. They are kept apart, so that many small chunks cost no more than one. */
  #headerLines(bytes: Buffer, start: number): number | undefined {
    const known = this.#headerLength;
    const room = this.#header.byteLength - known;
    const copied = bytes.copy(this.#header, known, start, Math.min(bytes.byteLength, start + room));
    this.#headerLength += copied;
    const lines = this.#header.subarray(0, this.#headerLength);
    const blank = lines.indexOf(blankLine, Math.max(0, known - blankLine.byteLength));
    if (blank === -1) {
      if (copied === room)
        throw new BadInput(messages.multipart(`a part's header is longer than ${multipartHeaderBytes} bytes`));
      this.#consumed = start + copied;
      return undefined;
    }
    this.#state = "data";
    this.#sink.header(lines.subarray(0, blank));
    return start + (blank + blankLine.byteLength - known);
  }
}
