import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { chunksOf } from "../../../body-chunks.ts";
import { PlatformError } from "../../../errors.ts";
import { etagOf } from "../../../local/objects-files.ts";
import type { S3Client } from "./client.ts";
import { errorOfAnswer, S3Error, strangeAnswer } from "./error.ts";
import { elementText, escaped, hasRoot } from "./xml.ts";

/** The size of a part, which stays in memory until the store has it. Some stores require parts of equal size. */
export const partBytes: number = 8 * 1024 * 1024;

/** S3's maximum number of parts. */
const maxParts = 10_000;

/** The number of bytes to hash at a time, so that a part does not block the event loop. */
const hashedBytes = 1024 * 1024;

/** A body of unknown length, with its limits. */
export interface S3Upload {
  readonly file: string;
  readonly body: ReadableStream<Uint8Array>;
  readonly maxSize: number;
  readonly signal: AbortSignal;
}

/**
 * Writes a body: a short one with one request, a longer one in parts, whose object appears with the last part. The
 * store compares the hash of each part with the bytes it received.
 */
export async function upload(
  client: S3Client,
  { file, body, maxSize, signal }: S3Upload,
): Promise<{ readonly size: number; readonly etag: string }> {
  const hash = createHash("sha256");
  let size = 0;
  let parts: Parts | undefined;
  for await (const { bytes, last } of chunksOf(body, { chunkBytes: partBytes, maxSize, signal })) {
    for (let at = 0; at < bytes.byteLength; at += hashedBytes) {
      hash.update(bytes.subarray(at, at + hashedBytes));
      if (at > 0) await setImmediate();
    }
    size += bytes.byteLength;
    if (last && parts === undefined) {
      await client.call({ method: "PUT", file, body: bytes, signal }, ({ headers }) => etagProblem(headers));
      return { size, etag: etagOf(hash) };
    }
    parts ??= await Parts.begin(client, file, signal);
    await parts.send(bytes);
  }
  await parts?.complete(size);
  return { size, etag: etagOf(hash) };
}

class Parts {
  readonly #client: S3Client;
  readonly #file: string;
  readonly #uploadId: string;
  readonly #signal: AbortSignal;
  readonly #etags: string[] = [];

  private constructor(client: S3Client, file: string, uploadId: string, signal: AbortSignal) {
    this.#client = client;
    this.#file = file;
    this.#uploadId = uploadId;
    this.#signal = signal;
  }

  static async begin(client: S3Client, file: string, signal: AbortSignal): Promise<Parts> {
    const request = { method: "POST", file, query: { uploads: "" }, signal } as const;
    const { text } = await client.call(request, (answer) => uploadIdProblem(answer.text));
    return new Parts(client, file, String(elementText(text, "UploadId")), signal);
  }

  async send(body: Uint8Array): Promise<void> {
    const partNumber = this.#etags.length + 1;
    if (partNumber > maxParts)
      throw new PlatformError("too-large", `an object in S3 has at most ${maxParts * partBytes} bytes`);
    const query = { partNumber: String(partNumber), uploadId: this.#uploadId };
    const request = { method: "PUT", file: this.#file, query, body, signal: this.#signal } as const;
    const { headers } = await this.#client.call(request, (answer) => etagProblem(answer.headers));
    this.#etags.push(String(headers.get("etag")));
  }

  /** Combines the parts into an object, and asks for its size. */
  async complete(size: number): Promise<void> {
    const rows = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rows.join("")}</CompleteMultipartUpload>`,
    );
    const headers = { "content-type": "application/xml" };
    const query = { uploadId: this.#uploadId };
    const request = { method: "POST", file: this.#file, query, headers, body, signal: this.#signal } as const;
    try {
      await this.#client.call(request, ({ text }) => {
        // S3 sends the status before it has the outcome.
        if (hasRoot(text, "Error")) throw errorOfAnswer("POST uploadId", 200, text);
        return hasRoot(text, "CompleteMultipartUploadResult") ? undefined : "no result of an upload";
      });
    } catch (error) {
      // If the response was lost, the object may exist; the upload is then gone.
      if (!(error instanceof S3Error && error.reason === "NoSuchUpload")) throw error;
    }
    await this.#checkSize(size);
  }

  async #checkSize(size: number): Promise<void> {
    const { headers } = await this.#client.call({ method: "HEAD", file: this.#file, signal: this.#signal });
    const stored = headers.get("content-length");
    if (stored !== String(size)) throw strangeAnswer("HEAD", `${stored} bytes of an object with ${size}`);
  }
}

function uploadIdProblem(text: string): string | undefined {
  const id = elementText(text, "UploadId");
  return id !== undefined && /^[\x21-\x7e]{1,1024}$/.test(id) ? undefined : "an upload without an id";
}

function etagProblem(headers: Headers): string | undefined {
  return /^[\x21-\x7e]{1,256}$/.test(headers.get("etag") ?? "") ? undefined : "no ETag";
}
