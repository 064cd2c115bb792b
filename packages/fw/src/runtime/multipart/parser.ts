import { multipartHeaderBytes } from "../../lib/limits.ts";
import { BadInput } from "../bad-input.ts";
import { messages } from "../messages.ts";

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

const dashes = Buffer.from("\r\n--");
const blankLine = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;
const dash = 0x2d;

/**
 * Splits a multipart body into its parts (RFC 2046) as its chunks arrive. Linear in their bytes, however they are cut;
 * holds less than a delimiter and one part's header. Throws a BadInput where the body is not one.
 */
export class MultipartParser {
  readonly #boundary: Buffer;
  readonly #sink: PartSink;
  readonly #header = Buffer.allocUnsafe(multipartHeaderBytes);
  #headerLength = 0;
  #state: State = "preamble";
  // The first delimiter needs no line break before it when nothing comes before it.
  #rest: Buffer = Buffer.from("\r\n");
  #consumed = 0;

  constructor(boundary: string, sink: PartSink) {
    this.#boundary = Buffer.from(boundary, "latin1");
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
    let from = start;
    for (;;) {
      const found = bytes.indexOf(dashes, from);
      const end = found === -1 ? keptFrom(bytes, from) : found;
      const after = end + dashes.byteLength + this.#boundary.byteLength;
      if (found === -1 || (after > bytes.byteLength && this.#mayBeDelimiter(bytes, found))) {
        this.#data(bytes.subarray(start, end));
        this.#consumed = end;
        return undefined;
      }
      if (this.#mayBeDelimiter(bytes, found)) {
        this.#data(bytes.subarray(start, found));
        if (this.#state === "data") this.#sink.end();
        this.#state = "delimiter";
        return after;
      }
      from = found + dashes.byteLength;
    }
  }

  #data(bytes: Buffer): void {
    if (this.#state === "data" && bytes.byteLength > 0) this.#sink.data(bytes);
  }

  /** Compares the boundary with what there is of it after the dashes at `found`. */
  #mayBeDelimiter(bytes: Buffer, found: number): boolean {
    const start = found + dashes.byteLength;
    const there = Math.min(this.#boundary.byteLength, bytes.byteLength - start);
    return there <= 0 || bytes.compare(this.#boundary, 0, there, start, start + there) === 0;
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

/** Where a delimiter may begin that the next chunk goes on with: at a CR among the last bytes. */
function keptFrom(bytes: Buffer, from: number): number {
  const tail = Math.max(from, bytes.byteLength - dashes.byteLength + 1);
  const last = bytes.subarray(tail).lastIndexOf(CR);
  return last === -1 ? bytes.byteLength : tail + last;
}
