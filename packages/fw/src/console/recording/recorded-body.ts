import { maskForm, maskHTML, maskJSON } from "../../lib/mask-secrets.ts";

/** Bytes of a body that are recorded; the rest is only counted. */
const bodyBytes = 16 * 1024;

/** A recorded body, as the page shows it. */
export interface BodyView {
  /** The size of the whole body. */
  readonly bytes: number;
  /** The beginning of the body, as recorded; absent unless the body is text. */
  readonly text?: string;
  /** True if the body is longer than the text. */
  readonly isCut: boolean;
}

/** Records the beginning of a body and counts the rest. */
export class RecordedBody {
  /** Short text is stored without encoding it: strings cannot change, and the console shows few records. */
  readonly #chunks: (Buffer | string)[] = [];
  /** Approximate bytes in memory. */
  #recorded = 0;
  /** The bytes of the body, without those of the short texts. */
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
    const type = headers.get("content-type") ?? "";
    const isEncoded = (headers.get("content-encoding") ?? "identity") !== "identity";
    if (isEncoded || !isText(type)) return { bytes, isCut: bytes > 0 };
    return { bytes, text: maskBody(Buffer.concat(chunks).toString(), type), isCut };
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** True for encodings of text. The runtime names Latin-1 only for text that is pure ASCII. */
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
