import type {
  Objects,
  Grant,
  ObjectFacts,
  ObjectPage,
  PutOptions,
  SignedRequest,
  StoredObject,
} from "../../objects.ts";
import { isA } from "../../../lib/thrown.ts";
import { checkContentType, checkPageSize, checkWrite, ObjectWrites } from "../../object-writes.ts";
import { closedError, PlatformError } from "../../errors.ts";
import { checkObjectKey } from "../../object-key.ts";
import { bucketName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import type { CloudRequest } from "../rest/client.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { download } from "./download.ts";
import { factsOf, storageFields, type StorageObject } from "./facts.ts";
import { listObjects } from "./list.ts";
import { SignedURLs } from "./signed-urls.ts";
import { upload } from "./upload.ts";

/**
 * Objects in Cloud Storage, whose own notifications tell of every write. Its buckets keep what was replaced or deleted for a day, so
 * that whoever has opened an object reads it to its end.
 */
export class CloudObjects implements Objects {
  readonly #parts: CloudParts;
  readonly #writes = new ObjectWrites();
  readonly #signed: SignedURLs;
  readonly #buckets: ReadonlySet<string>;

  constructor(parts: CloudParts) {
    const { client, identity, clock, endpointOf } = parts.cloud;
    this.#parts = parts;
    this.#buckets = new Set(parts.definitions.buckets);
    this.#signed = new SignedURLs({ client, identity, clock, origin: endpointOf("storage").url });
  }

  /** Ends the writes that are still coming in, and waits for those whose last bytes were sent. */
  close(): Promise<void> {
    return this.#writes.close();
  }

  async open(bucket: string, key: string): Promise<StoredObject | undefined> {
    const path = this.#path(bucket, key);
    const found = await this.#read(path);
    if (found === undefined) return undefined;
    const { generation, size } = found;
    return {
      ...factsOf(found),
      stream: ({ start, end } = { start: 0, end: Number(size) }) =>
        download(this.#parts.cloud.client, { path, generation, start, end }),
    };
  }

  async find(bucket: string, key: string): Promise<ObjectFacts | undefined> {
    const found = await this.#read(this.#path(bucket, key));
    return found && factsOf(found);
  }

  async put(bucket: string, key: string, body: ReadableStream<Uint8Array>, options: PutOptions): Promise<ObjectFacts> {
    checkWrite(body, () => {
      this.#path(bucket, key);
      checkContentType(options.contentType);
    });
    const place = { bucket: this.#physical(bucket), key };
    return this.#writes.run(options.signal, async (signal) =>
      factsOf(await upload(this.#parts.cloud.client, { ...options, ...place, body, signal })),
    );
  }

  async delete(bucket: string, key: string): Promise<void> {
    const path = this.#path(bucket, key);
    await this.#orMissing({ method: "DELETE", path, repeatable: true });
  }

  async list(
    bucket: string,
    prefix: string,
    options: { readonly after?: string; readonly limit: number },
  ): Promise<ObjectPage> {
    this.#check(bucket);
    checkPageSize(options.limit);
    return listObjects(this.#parts.cloud.client, { ...options, bucket: this.#physical(bucket), prefix });
  }

  async sign(grant: Grant): Promise<SignedRequest> {
    this.#path(grant.bucket, grant.key);
    return this.#signed.sign(this.#physical(grant.bucket), grant);
  }

  /** The object as the API tells of it. */
  async #read(path: string): Promise<StorageObject | undefined> {
    return this.#orMissing<StorageObject>({ method: "GET", path, query: { fields: storageFields } });
  }

  /** What the API answers; undefined where there is no such object. */
  async #orMissing<Answer>(request: Omit<CloudRequest, "api">): Promise<Answer | undefined> {
    try {
      return await this.#parts.cloud.client.call<Answer>({ ...request, api: "storage" });
    } catch (error) {
      if (!isA(error, CloudError) || error.status !== 404) throw error;
      // Nothing but its words tells a missing object from a missing bucket.
      if (/bucket does not exist/i.test(error.message)) throw error;
      return undefined;
    }
  }

  /** The object's path in the API; fails with `key` where there can be none. */
  #path(bucket: string, key: string): string {
    this.#check(bucket);
    checkObjectKey(key);
    return `/storage/v1/b/${encodeURIComponent(this.#physical(bucket))}/o/${encodeURIComponent(key)}`;
  }

  #physical(bucket: string): string {
    return bucketName(this.#parts.place, bucket);
  }

  #check(bucket: string): void {
    if (this.#writes.closed) throw closedError();
    if (!this.#buckets.has(bucket))
      throw new PlatformError("key", `the bucket ${JSON.stringify(bucket)} is not defined`);
  }
}
