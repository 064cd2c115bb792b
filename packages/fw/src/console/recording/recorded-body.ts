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

/** The recorded beginning of a body. */
export interface StoredBody {
  readonly beginning: Buffer;
  /** The size of the whole body. */
  readonly bytes: number;
}

/** Records the beginning of a body and counts the rest. */
export class RecordedBody {
  /** Text that fits stays a string; `copyTo` encodes it. */
  readonly #chunks: (Buffer | string)[] = [];
  #recorded = 0;
  #bytes = 0;

  /** The size of the beginning. */
  get recordedBytes(): number {
    return this.#recorded;
  }

  /** The size of the whole body. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Uint8Array | string, encoding: BufferEncoding = "utf8"): void {
    const isShared = typeof chunk === "string" && isPlainText(encoding);
    const size = typeof chunk === "string" ? Buffer.byteLength(chunk, isShared ? "utf8" : encoding) : chunk.byteLength;
    this.#bytes += size;
    const room = bodyBytes - this.#recorded;
    if (size === 0 || room === 0) return;
    if (isShared && size <= room) return this.#record(chunk, size);
    // Copies the bytes, because the application may change its buffer.
    const bytes = typeof chunk === "string" ? chunk.slice(0, room) : chunk.subarray(0, room);
    const beginning = (typeof bytes === "string" ? Buffer.from(bytes, encoding) : Buffer.from(bytes)).subarray(0, room);
    this.#record(beginning, beginning.length);
  }

  #record(chunk: Buffer | string, size: number): void {
    this.#chunks.push(chunk);
    this.#recorded += size;
  }

  /** Copies the beginning into `block`, which must have room for it. Returns the position after the copy. */
  copyTo(block: Buffer, start: number): number {
    let end = start;
    for (const chunk of this.#chunks)
      end += typeof chunk === "string" ? block.write(chunk, end) : chunk.copy(block, end);
    return end;
  }
}

/** Returns the view of a stored body, without credentials. */
export function bodyView({ beginning, bytes }: StoredBody, headers: ReadonlyMap<string, string>): BodyView {
  const isCut = beginning.length < bytes;
  const isEncoded = (headers.get("content-encoding") ?? "identity") !== "identity";
  const text = isEncoded ? undefined : maskedText(beginning, isCut, headers.get("content-type") ?? "");
  return text === undefined ? { bytes, isCut: bytes > 0 } : { bytes, text, isCut };
}

/** True for the encodings in which the runtime writes text: UTF-8, and Latin-1 for ASCII, which has the same bytes. */
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
