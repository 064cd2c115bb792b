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
  bytes = 0;
  readonly #chunks: Buffer[] = [];
  #recorded = 0;

  /** Bytes in memory. */
  get recordedBytes(): number {
    return this.#recorded;
  }

  add(chunk: Uint8Array | string, encoding: BufferEncoding = "utf8"): void {
    const room = bodyBytes - this.#recorded;
    if (typeof chunk !== "string") {
      this.bytes += chunk.byteLength;
      // A copy, since a view would keep the whole chunk in memory.
      if (room > 0) this.#record(Buffer.from(chunk.subarray(0, room)));
      return;
    }
    // A short text is converted once, for its bytes and its size.
    const bytes = room > 0 ? Buffer.from(chunk.slice(0, room), encoding) : undefined;
    const isWhole = bytes !== undefined && chunk.length <= room;
    this.bytes += isWhole ? bytes.length : Buffer.byteLength(chunk, encoding);
    if (bytes !== undefined) this.#record(bytes.subarray(0, room));
  }

  #record(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#recorded += bytes.length;
  }

  view(headers: ReadonlyMap<string, string>): BodyView {
    const isCut = this.#recorded < this.bytes;
    const type = headers.get("content-type") ?? "";
    const isEncoded = (headers.get("content-encoding") ?? "identity") !== "identity";
    if (isEncoded || !isText(type)) return { bytes: this.bytes, isCut: this.bytes > 0 };
    return { bytes: this.bytes, text: maskBody(Buffer.concat(this.#chunks).toString(), type), isCut };
  }
}

function isText(type: string): boolean {
  return type === "" || /^text\/|[/+](?:json|xml|javascript|x-ndjson|x-www-form-urlencoded|graphql)\b/i.test(type);
}

function maskBody(text: string, type: string): string {
  if (/x-www-form-urlencoded/i.test(type)) return maskForm(text);
  if (/^text\/html/i.test(type)) return maskHTML(text);
  return /json/i.test(type) ? maskJSON(text) : text;
}
