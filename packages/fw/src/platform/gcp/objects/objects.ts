import { isA } from "../../../lib/thrown.ts";
import { BaseObjects, type ObjectListing, type ObjectWrite } from "../../base-objects.ts";
import type { Grant, ObjectFacts, ObjectPage, SignedRequest, StoredObject } from "../../objects.ts";
import { bucketName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import type { CloudRequest } from "../rest/client.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { download } from "./download.ts";
import { factsOf, storageFields, type StorageObject } from "./facts.ts";
import { listObjects } from "./list.ts";
import { signedURLsOf, type SignedURLs } from "./signed-urls.ts";
import { upload } from "./upload.ts";

/**
 * Objects in Cloud Storage, which itself notifies consumers of every write. Its buckets keep replaced and deleted
 * versions for a day, so that opened objects stay readable.
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
    const object = await this.#read(path);
    if (object === undefined) return undefined;
    const { generation, size } = object;
    return {
      ...factsOf(object),
      stream: ({ start, end } = { start: 0, end: Number(size) }) =>
        download(this.#parts.cloud.client, { path, generation, start, end }),
    };
  }

  async find(bucket: string, key: string): Promise<ObjectFacts | undefined> {
    const object = await this.#read(this.#path(bucket, key));
    return object && factsOf(object);
  }

  async delete(bucket: string, key: string): Promise<void> {
    const path = this.#path(bucket, key);
    await this.#orMissing({ method: "DELETE", path, repeatable: true });
  }

  async sign(grant: Grant): Promise<SignedRequest> {
    this.#path(grant.bucket, grant.key);
    return this.#signed.sign(this.#physical(grant.bucket), grant);
  }

  protected async page(listing: ObjectListing): Promise<ObjectPage> {
    return listObjects(this.#parts.cloud.client, { ...listing, bucket: this.#physical(listing.bucket) });
  }

  protected async write(write: ObjectWrite): Promise<ObjectFacts> {
    return factsOf(await upload(this.#parts.cloud.client, { ...write, bucket: this.#physical(write.bucket) }));
  }

  /** Reads an object's metadata. */
  async #read(path: string): Promise<StorageObject | undefined> {
    return this.#orMissing<StorageObject>({ method: "GET", path, query: { fields: storageFields } });
  }

  /** Calls the API; returns undefined if there is no such object. */
  async #orMissing<Answer>(request: Omit<CloudRequest, "api">): Promise<Answer | undefined> {
    try {
      return await this.#parts.cloud.client.call<Answer>({ ...request, api: "storage" });
    } catch (error) {
      if (!isA(error, CloudError) || error.status !== 404) throw error;
      // Only the message distinguishes a missing object from a missing bucket.
      if (/bucket does not exist/i.test(error.message)) throw error;
      return undefined;
    }
  }

  /** Returns the object's path in the API; fails with `key` if the key is invalid. */
  #path(bucket: string, key: string): string {
    this.check(bucket, key);
    return `/storage/v1/b/${encodeURIComponent(this.#physical(bucket))}/o/${encodeURIComponent(key)}`;
  }

  #physical(bucket: string): string {
    return bucketName(this.#parts.place, bucket);
  }
}
