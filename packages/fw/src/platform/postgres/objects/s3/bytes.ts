import { pulled } from "../../../../lib/pulled.ts";
import type { ObjectBytes } from "../bytes.ts";
import { readS3Address, type S3Environment } from "./address.ts";
import { S3Client, type S3ClientOptions, type S3Stream } from "./client.ts";
import { S3Error, strangeAnswer, errorOfAnswer } from "./error.ts";
import { loadSigner } from "./signer.ts";
import { elements, elementText, hasRoot, escaped } from "./xml.ts";
import { createHash } from "node:crypto";
import { etagOf } from "../../../local/objects-files.ts";
import type { StoredFile } from "../../../stored-object.ts";
import { setImmediate } from "node:timers/promises";
import { chunksOf } from "../../../body-chunks.ts";
import { PlatformError } from "../../../errors.ts";

/** A file that every startup writes and reads, to detect a wrong key or bucket before a request does. */
const markName = "fw-objects";
const mark = "The bytes of objects of an fw application. The database says what they are.\n";

/**
 * Opens a bucket as the store for objects' bytes. Throws a PlatformError `data` if the address is wrong or the store
 * rejects it, and `unreachable` if the store does not respond.
 */
export async function bytesInS3(address: string, env: S3Environment, options?: S3ClientOptions): Promise<ObjectBytes> {
  const client = new S3Client(readS3Address(address, env), await loadSigner(), options);
  await check(client);
  return {
    async write(file, body, maxSize, signal) {
      try {
        return await upload(client, { file, body, maxSize, signal });
      } catch (error) {
        body.cancel(error).catch(() => {});
        // Does not wait, because the store may not respond: the file's row ensures that it is deleted later.
        removeFile(client, file).catch(() => {});
        throw error;
      }
    },
    read: (stored, start, end) => {
      const ending = new AbortController();
      return pulled(download(client, stored, { start, end }, ending.signal), { cancel: () => ending.abort() });
    },
    remove: (file) => removeFile(client, file),
  };
}

/** Checks the bucket by writing and reading one file and deleting another. */
async function check(client: S3Client): Promise<void> {
  try {
    await client.call({ method: "PUT", file: markName, body: Buffer.from(mark) });
    await client.call({ method: "GET", file: markName }, ({ text }) => (text === mark ? undefined : "other bytes"));
    await removeFile(client, `${markName}-check`);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new S3Error(`${error.request} for ${client.displayName}`, error.status, error.reason, error.details);
  }
}

/** The maximum number of times to list one file's unfinished uploads; each list has up to a thousand. */
const maxLists = 20;

/** Deletes a file and the parts of its unfinished uploads, which take up space but are not in object listings. */
async function removeFile(client: S3Client, file: string): Promise<void> {
  await client.call({ method: "DELETE", file });
  for (let lists = 0; lists < maxLists; lists++) {
    const uploads = await unfinishedUploads(client, file);
    if (uploads.length === 0) return;
    for (const uploadId of uploads) await abort(client, file, uploadId);
  }
  throw strangeAnswer("GET uploads", "uploads that were aborted");
}

async function unfinishedUploads(client: S3Client, file: string): Promise<readonly string[]> {
  const key = client.keyOf(file);
  const { text } = await client.call({ method: "GET", query: { uploads: "", prefix: key } }, (answer) =>
    hasRoot(answer.text, "ListMultipartUploadsResult") ? undefined : "no list of uploads",
  );
  return elements(text, "Upload").flatMap((upload) => {
    const uploadId = elementText(upload, "UploadId");
    return elementText(upload, "Key") === key && uploadId !== undefined ? [uploadId] : [];
  });
}

async function abort(client: S3Client, file: string, uploadId: string): Promise<void> {
  try {
    await client.call({ method: "DELETE", file, query: { uploadId } });
  } catch (error) {
    if ((error as { readonly reason?: string }).reason !== "NoSuchUpload") throw error;
  }
}

/** The maximum number of consecutive failures without receiving a byte. */
const maxFailures = 4;

/**
 * Yields the bytes of a file from `start` to `end` (exclusive). Resumes after a broken response, and never yields bytes
 * outside of the range. A whole file must have the hash in its row. The signal aborts the download, even while it waits
 * for bytes.
 */
async function* download(
  client: S3Client,
  { file, facts }: StoredFile,
  { start, end }: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const hash = start === 0 && end === facts.size ? createHash("sha256") : undefined;
  let failures = 0;
  for (let at = start; at < end;) {
    const answer = await openRange(client, file, { at, end, size: facts.size, signal });
    signal.addEventListener("abort", answer.cancel, { once: true });
    const reader = answer.body.getReader();
    try {
      for (;;) {
        const { done, value } = await inTime(reader, answer.cancel, client.silenceMs);
        if (done) break;
        if (at + value.byteLength > end) throw strangeAnswer("GET", "more bytes than requested");
        at += value.byteLength;
        failures = 0;
        hash?.update(value);
        yield value;
      }
      if (at < end) throw strangeAnswer("GET", `the response ends ${end - at} bytes early`);
    } catch (error) {
      signal.throwIfAborted();
      if (++failures > maxFailures) throw error instanceof S3Error ? error : new S3Error("GET", 0, "NoAnswer", "");
    } finally {
      signal.removeEventListener("abort", answer.cancel);
      // Needed if the consumer stops reading early.
      answer.cancel();
    }
  }
  if (hash !== undefined && etagOf(hash) !== facts.etag)
    throw new S3Error("GET", 200, "OtherBytes", `${file} has different bytes than were written`);
}

interface Range {
  readonly at: number;
  /** Exclusive. */
  readonly end: number;
  readonly size: number;
  readonly signal: AbortSignal;
}

function openRange(client: S3Client, file: string, { at, end, size, signal }: Range): Promise<S3Stream> {
  const expected = `bytes ${at}-${end - 1}/${size}`;
  return client.open({ method: "GET", file, headers: { range: `bytes=${at}-${end - 1}` }, signal }, (headers) => {
    const encoding = headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") return `bytes with the encoding ${encoding}`;
    const range = headers.get("content-range");
    return range === expected ? undefined : `the range ${range ?? "of everything"} instead of ${expected}`;
  });
}

/** Reads a chunk; closes the connection if it does not arrive in time. Time that the consumer takes does not count. */
async function inTime(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  cancel: () => void,
  silenceMs: number,
): ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> {
  const timer = setTimeout(cancel, silenceMs);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}

/** The size of a part, which stays in memory until the store has it. Some stores require equal sizes. */
export const partBytes: number = 8 * 1024 * 1024;

/** S3's maximum number of parts. */
const maxParts = 10_000;

/** The number of bytes to hash at once, so that a part does not block the event loop. */
const hashedBytes = 1024 * 1024;

/** A body of unknown length, and the limits of its upload. */
interface S3Upload {
  readonly file: string;
  readonly body: ReadableStream<Uint8Array>;
  readonly maxSize: number;
  readonly signal: AbortSignal;
}

/**
 * Writes a short body in one request and a longer one in parts. The parts become an object when all of them have
 * arrived. The store checks the hash of each part.
 */
async function upload(
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

  /** Combines the parts into an object and verifies its size. */
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
        // S3 sends the status before it knows the outcome.
        if (hasRoot(text, "Error")) throw errorOfAnswer("POST uploadId", 200, text);
        return hasRoot(text, "CompleteMultipartUploadResult") ? undefined : "no result of an upload";
      });
    } catch (error) {
      // If an earlier response was lost, the object may exist already, and the upload no longer does.
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
