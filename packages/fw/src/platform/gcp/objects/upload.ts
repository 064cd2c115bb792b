import { setTimeout } from "node:timers/promises";
import { isA } from "../../../lib/thrown.ts";
import type { ObjectWrite } from "../../base-objects.ts";
import { chunksOf, type Chunk } from "../../body-chunks.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { CloudClient, CloudTransfer } from "../rest/client.ts";
import { readText } from "../rest/read-text.ts";
import { storageFields, type StorageObject } from "./facts.ts";

/** The chunk size, a multiple of 256 KiB. A chunk stays in memory until the object store has received it. */
const chunkBytes = 2 * 1024 * 1024;

/** Maximum number of consecutive attempts to resend a chunk without progress. */
const maxFailedAttempts = 4;

/** Milliseconds before a chunk is first resent; doubles with each further attempt. */
const pauseMs = 100;

/** The status of an incomplete resumable upload. */
const incomplete = 308;

/**
 * Writes an object as a resumable upload: the object appears when the last chunk arrives. After a failure, asks the
 * store how many bytes it has received.
 */
export async function upload(
  client: CloudClient,
  { body, maxSize, signal, ...target }: ObjectWrite,
): Promise<StorageObject> {
  let session: Session | undefined;
  try {
    for await (const chunk of chunksOf(body, { chunkBytes, maxSize, signal })) {
      session ??= await Session.begin(client, target, signal);
      const object = await session.send(chunk, signal);
      if (object !== undefined) return object;
    }
  } catch (error) {
    session?.cancel();
    throw error;
  }
  throw new Error("an upload ended without an object");
}

class Session {
  readonly #client: CloudClient;
  readonly #request: Pick<CloudTransfer, "api" | "path" | "query">;
  #at = 0;

  private constructor(client: CloudClient, url: URL) {
    this.#client = client;
    const path = url.pathname.slice(url.pathname.indexOf("/upload/storage/"));
    this.#request = { api: "storage", path, query: Object.fromEntries(url.searchParams) };
  }

  static async begin(
    client: CloudClient,
    { bucket, key, contentType }: Pick<ObjectWrite, "bucket" | "key" | "contentType">,
    signal: AbortSignal,
  ): Promise<Session> {
    const { headers, body } = await client.open({
      api: "storage",
      method: "POST",
      path: `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o`,
      query: { uploadType: "resumable", name: key, fields: storageFields },
      body: { contentType },
      // Safe to repeat, because unused sessions expire.
      repeatable: true,
      signal,
    });
    body.resume();
    const { location } = headers;
    if (location === undefined) throw new Error("the object store started an upload without a location");
    return new Session(client, new URL(location));
  }

  /** Resolves when the object store has received the chunk, with the object if the chunk was the last. */
  async send({ bytes, last }: Chunk, signal: AbortSignal): Promise<StorageObject | undefined> {
    const end = this.#at + bytes.byteLength;
    const total = last ? String(end) : "*";
    // The last chunk cannot be aborted: the object may exist as soon as it is sent.
    const until = last ? undefined : signal;
    let rest = bytes;
    for (let failures = 0; ; failures++) {
      const progress = await this.#put(rest, total, until);
      if (progress.object !== undefined) return progress.object;
      const accepted = progress.storedBytes - this.#at;
      rest = rest.subarray(accepted);
      this.#at = progress.storedBytes;
      if (rest.byteLength === 0 && !last) return undefined;
      if (accepted > 0) failures = 0;
      else if (failures >= maxFailedAttempts)
        throw progress.error ?? new Error("the object store accepts no bytes of the upload");
      await setTimeout(pauseMs * 2 ** failures, undefined, until && { signal: until });
    }
  }

  /** Cancels the upload session without waiting for the response: unfinished sessions expire after a week anyway. */
  cancel(): void {
    this.#client.open({ ...this.#request, method: "DELETE", repeatable: true }).catch(() => {});
  }

  /** Sends bytes. If the outcome is unknown, asks how many arrived. */
  async #put(bytes: Buffer, total: string, signal: AbortSignal | undefined): Promise<UploadProgress> {
    const last = this.#at + bytes.byteLength - 1;
    const byteRange = bytes.byteLength === 0 ? "*" : `${this.#at}-${last}`;
    try {
      return await this.#ask(bytes, `bytes ${byteRange}/${total}`, { signal });
    } catch (error) {
      if (!isA(error, CloudError) || !(error.unknownEffect || error.status === 429)) throw error;
      return { ...(await this.#ask(Buffer.alloc(0), `bytes */${total}`, { signal, repeatable: true })), error };
    }
  }

  async #ask(
    body: Buffer,
    range: string,
    { signal, repeatable = false }: { readonly signal: AbortSignal | undefined; readonly repeatable?: boolean },
  ): Promise<UploadProgress> {
    const headers = { "content-range": range };
    const answer = await this.#client.open({
      ...this.#request,
      method: "PUT",
      body,
      headers,
      repeatable,
      ...(signal && { signal }),
    });
    if (answer.status !== incomplete)
      return { storedBytes: 0, object: JSON.parse(await readText(answer.body)) as StorageObject };
    answer.body.resume();
    const lastByte = /^bytes=0-(\d+)$/.exec(String(answer.headers["range"]))?.[1];
    return { storedBytes: lastByte === undefined ? 0 : Number(lastByte) + 1 };
  }
}

interface UploadProgress {
  /** The number of bytes that the object store has; 0 if `object` is present. */
  readonly storedBytes: number;
  readonly object?: StorageObject;
  /** The failure that made the client ask the store. */
  readonly error?: CloudError;
}
