import { isA } from "../../../lib/thrown.ts";
import { BaseObjects, type ObjectListing, type ObjectWrite } from "../../base-objects.ts";
import type { Grant, ObjectFacts, ObjectPage, SignedRequest, StoredObject } from "../../objects.ts";
import { bucketName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import type { CloudRequest } from "../rest/client.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { download } from "./download.ts";
import { factsOf, storageFields, type StorageObject } from "./facts.ts";
import { listObjects } from "./list.ts";
import { signedURLsOf, type SignedURLs } from "./signed-urls.ts";
import { upload } from "./upload.ts";

/**
 * Objects in Cloud Storage, whose own notifications tell of every write. Its buckets keep what was replaced or deleted
 * for a day, so that whoever has opened an object reads it to its end.
 */
export class CloudObjects extends BaseObjects {
  readonly #parts: CloudParts;
  readonly #signed: SignedURLs;

  constructor(parts: CloudParts, signed: SignedURLs = signedURLsOf(parts.cloud)) {
    super(parts.definitions.buckets ?? []);
    this.#parts = parts;
    this.#signed = signed;
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

  async delete(bucket: string, key: string): Promise<void> {
    const path = this.#path(bucket, key);
    await this.#orMissing({ method: "DELETE", path, repeatable: true });
  }

  async sign(grant: Grant): Promise<SignedRequest> {
    this.#path(grant.bucket, grant.key);
    return this.#signed.sign(this.#physical(grant.bucket), grant);
  }

  protected async page(asked: ObjectListing): Promise<ObjectPage> {
    return listObjects(this.#parts.cloud.client, { ...asked, bucket: this.#physical(asked.bucket) });
  }

  protected async write(write: ObjectWrite): Promise<ObjectFacts> {
    return factsOf(await upload(this.#parts.cloud.client, { ...write, bucket: this.#physical(write.bucket) }));
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
    this.check(bucket, key);
    return `/storage/v1/b/${encodeURIComponent(this.#physical(bucket))}/o/${encodeURIComponent(key)}`;
  }

  #physical(bucket: string): string {
    return bucketName(this.#parts.place, bucket);
  }
}
