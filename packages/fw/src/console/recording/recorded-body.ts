import { maskForm, maskHTML, maskJSON } from "../../lib/mask-secrets.ts";

/** Bytes of a body that are recorded; the rest is counted only. */
const bodyBytes = 16 * 1024;

/** A recorded body, as the page shows it. */
export interface BodyView {
  /** The size of the whole body. */
  readonly bytes: number;
  /** The recorded beginning; absent for a body that is not text. */
  readonly text?: string;
  /** True if the text is only the beginning of the body. */
  readonly isCut: boolean;
}

/** The beginning of a body. */
export class RecordedBody {
  /** Short text stays as it is: a string cannot change, and few records are ever displayed. */
  readonly #chunks: (Buffer | string)[] = [];
  /** About the bytes in memory. */
  #recorded = 0;
  /** The bytes of everything but the short texts. */
  #otherBytes = 0;

  get recordedBytes(): number {
    return this.#recorded;
  }

  add(chunk: Uint8Array | string, encoding: BufferEncoding = "utf8"): void {
    const room = bodyBytes - this.#recorded;
    if (typeof chunk !== "string") {
      this.#otherBytes += chunk.byteLength;
      // A copy, since a view would keep the whole chunk in memory.
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
    const type = headers.get("content-type") ?? "";
    const isEncoded = (headers.get("content-encoding") ?? "identity") !== "identity";
    if (isEncoded || !isText(type)) return { bytes, isCut: bytes > 0 };
    return { bytes, text: maskBody(Buffer.concat(chunks).toString(), type), isCut };
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** True for the encodings of text; the runtime names Latin-1 only for text of ASCII characters. */
function isPlainText(encoding: BufferEncoding): boolean {
  return encoding === "utf8" || encoding === "latin1" || encoding === "utf-8";
}

function isText(type: string): boolean {
  return type === "" || /^text\/|[/+](?:json|xml|javascript|x-ndjson|x-www-form-urlencoded|graphql)\b/i.test(type);
}

function maskBody(text: string, type: string): string {
  if (/x-www-form-urlencoded/i.test(type)) return maskForm(text);
  if (/^text\/html/i.test(type)) return maskHTML(text);
  return /json/i.test(type) ? maskJSON(text) : text;
}
