import { isUtf8 } from "node:buffer";
import { maskBody, maskMultipart } from "../../lib/mask-secrets.ts";

/** The number of bytes of a body to record; the rest is only counted. */
const bodyBytes = 16 * 1024;

/** A recorded body, as the page shows it. */
export interface BodyView {
  /** The size of the whole body. */
  readonly bytes: number;
  /** The recorded start of the body; absent unless the body is text. */
  readonly text?: string;
  /** True if the body is longer than the text. */
  readonly isCut: boolean;
}

/** Records the start of a body and counts the rest. */
export class RecordedBody {
  /** Short text is stored without encoding it: strings are immutable, and the console shows few records. */
  readonly #chunks: (Buffer | string)[] = [];
  /** The approximate bytes in memory. */
  #recorded = 0;
  /** The bytes of the body, excluding short strings. */
  #otherBytes = 0;

  get recordedBytes(): number {
    return this.#recorded;
  }

  add(chunk: Uint8Array | string, encoding: BufferEncoding = "utf8"): void {
    const room = bodyBytes - this.#recorded;
    if (typeof chunk !== "string") {
      this.#otherBytes += chunk.byteLength;
      // Copies the bytes, because a view would keep the whole chunk in memory.
      if (room > 0) this.#record(Buffer.from(chunk.subarray(0, room)));
    } else if (isPlainText(encoding) && 3 * chunk.length <= room) {
      if (chunk !== "") this.#record(chunk);
    } else {
      this.#otherBytes += Buffer.byteLength(chunk, encoding);
      if (room > 0) this.#record(Buffer.from(chunk.slice(0, room), encoding).subarray(0, room));
    }
  }

  #record(chunk: Buffer | string): void {
    this.#chunks.push(chunk);
    this.#recorded += chunk.length;
  }

  view(headers: ReadonlyMap<string, string>): BodyView {
    const chunks = this.#chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk));
    const texts = chunks.filter((_chunk, i) => typeof this.#chunks[i] === "string");
    const bytes = this.#otherBytes + sizeOf(texts);
    const isCut = sizeOf(chunks) < bytes;
    const isEncoded = (headers.get("content-encoding") ?? "identity") !== "identity";
    const text = isEncoded ? undefined : maskedText(Buffer.concat(chunks), isCut, headers.get("content-type") ?? "");
    return text === undefined ? { bytes, isCut: bytes > 0 } : { bytes, text, isCut };
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** True for text encodings. The runtime uses Latin-1 only for pure ASCII text. */
function isPlainText(encoding: BufferEncoding): boolean {
  return encoding === "utf8" || encoding === "latin1" || encoding === "utf-8";
}

function isText(type: string): boolean {
  return type === "" || /^text\/|[/+](?:json|xml|javascript|x-ndjson|x-www-form-urlencoded|graphql)\b/i.test(type);
}

/** Returns the bytes as text without credentials; undefined unless they are text. */
function maskedText(bytes: Buffer, isCut: boolean, type: string): string | undefined {
  const boundary = boundaryOf(type);
  if (boundary === undefined) return isText(type) ? maskBody(bytes.toString(), type) : undefined;
  return isTextUpTo(bytes, isCut) ? maskMultipart(bytes.toString(), boundary) : undefined;
}

/** Returns the boundary of a multipart form; undefined for other types. */
function boundaryOf(type: string): string | undefined {
  return /^multipart\/form-data\b.*;\s*boundary="?([^";]+)/i.exec(type)?.[1];
}

/** The maximum number of bytes of a truncated character. */
const characterBytes = 3;

/** True for valid UTF-8 whose last character may be truncated. A form may contain a file that is not text. */
function isTextUpTo(bytes: Buffer, isCut: boolean): boolean {
  const ends = Array.from({ length: 1 + (isCut ? characterBytes : 0) }, (_, i) => bytes.length - i);
  return ends.some((end) => isUtf8(bytes.subarray(0, Math.max(end, 0))));
}
