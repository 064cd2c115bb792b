import { setTimeout } from "node:timers/promises";
import { isA } from "../../../lib/thrown.ts";
import type { ObjectWrite } from "../../base-objects.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { CloudClient, CloudTransfer } from "../rest/client.ts";
import { wholeText } from "../rest/whole-text.ts";
import { chunksOf, type Chunk } from "./chunks.ts";
import { storageFields, type StorageObject } from "./facts.ts";

/** Bytes of a body that are kept until the object store has them; a multiple of the 256 KiB that it takes. */
const chunkBytes = 2 * 1024 * 1024;

/** How often a piece is sent again of which nothing more came to be kept. */
const vainAttempts = 4;

/** Milliseconds before such a piece is sent again; twice as many before each further time. */
const pauseMs = 100;

/** The status of an upload of which more is to come. */
const incomplete = 308;

/**
 * Writes an object as a resumable upload: the object is there when its last piece is, and not before. A piece of which it is not known
 * whether it came is asked for, so that none is lost, or written twice.
 */
export async function upload(
  client: CloudClient,
  { body, maxSize, signal, ...object }: ObjectWrite,
): Promise<StorageObject> {
  let session: Session | undefined;
  try {
    for await (const chunk of chunksOf(body, { chunkBytes, maxSize, signal })) {
      session ??= await Session.begin(client, object, signal);
      const written = await session.send(chunk, signal);
      if (written !== undefined) return written;
    }
  } catch (error) {
    session?.cancel();
    throw error;
  }
  throw new Error("an upload ended without an object");
}

/** An upload that the object store has begun. */
class Session {
  readonly #client: CloudClient;
  readonly #request: Pick<CloudTransfer, "api" | "path" | "query">;
  /** Where the piece that is sent next begins. */
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
      // A session that nobody uses is forgotten.
      repeatable: true,
      signal,
    });
    body.resume();
    const { location } = headers;
    if (location === undefined) throw new Error("the object store began an upload and did not say where");
    return new Session(client, new URL(location));
  }

  /** Resolves when the object store has the piece, with the object where the piece was the last. */
  async send({ bytes, last }: Chunk, signal: AbortSignal): Promise<StorageObject | undefined> {
    const end = this.#at + bytes.byteLength;
    const total = last ? String(end) : "*";
    // What ends the writing comes too late for the last piece: once it was sent the object may be there.
    const until = last ? undefined : signal;
    let rest = bytes;
    for (let vain = 0; ; vain++) {
      const sent = await this.#put(rest, total, until);
      if (sent.object !== undefined) return sent.object;
      const kept = sent.kept - this.#at;
      rest = rest.subarray(kept);
      this.#at = sent.kept;
      if (rest.byteLength === 0 && !last) return undefined;
      if (kept > 0) vain = 0;
      else if (vain >= vainAttempts) throw sent.error ?? new Error("the object store keeps nothing of an upload");
      await setTimeout(pauseMs * 2 ** vain, undefined, until && { signal: until });
    }
  }

  /** Nobody waits for it: what is left is forgotten after a week. */
  cancel(): void {
    this.#client.open({ ...this.#request, method: "DELETE", repeatable: true }).catch(() => {});
  }

  /** Sends bytes; where it is not known how many came, asks. */
  async #put(bytes: Buffer, total: string, signal: AbortSignal | undefined): Promise<Sent> {
    const last = this.#at + bytes.byteLength - 1;
    const sent = bytes.byteLength === 0 ? "*" : `${this.#at}-${last}`;
    try {
      return await this.#ask(bytes, `bytes ${sent}/${total}`, { signal });
    } catch (error) {
      if (!isA(error, CloudError) || !(error.unknownEffect || error.status === 429)) throw error;
      return { ...(await this.#ask(Buffer.alloc(0), `bytes */${total}`, { signal, repeatable: true })), error };
    }
  }

  async #ask(
    body: Buffer,
    range: string,
    { signal, repeatable = false }: { readonly signal: AbortSignal | undefined; readonly repeatable?: boolean },
  ): Promise<Sent> {
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
      return { kept: 0, object: JSON.parse(await wholeText(answer.body)) as StorageObject };
    answer.body.resume();
    const kept = /^bytes=0-(\d+)$/.exec(String(answer.headers["range"]))?.[1];
    return { kept: kept === undefined ? 0 : Number(kept) + 1 };
  }
}

/** What has become of bytes that were sent. */
interface Sent {
  /** How many the object store has of the whole body. */
  readonly kept: number;
  /** Once it has them all. */
  readonly object?: StorageObject;
  /** Why it had to be asked. */
  readonly error?: CloudError;
}
