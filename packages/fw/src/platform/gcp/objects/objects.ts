import { isA } from "../../../lib/thrown.ts";
import { BaseObjects, type ObjectListing, type ObjectWrite } from "../../base-objects.ts";
import type { ObjectGrant, ObjectFacts, ObjectPage, SignedRequest, StoredObject } from "../../objects.ts";
import { bucketName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import type { CloudRequest, CloudClient } from "../rest/client.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { download } from "./download.ts";
import { factsOf, storageFields, type StorageObject } from "./facts.ts";
import { signedURLsOf, type SignedURLs } from "./signed-urls.ts";
import { upload } from "./upload.ts";
import { objectPage } from "../../../lib/limits.ts";
import { canBeginKey } from "../../object-key.ts";
import type { Methods } from "../rest/generated/storage.ts";

/**
 * Objects in Cloud Storage, which itself notifies consumers of every write. Its buckets retain replaced and deleted
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

  async sign(grant: ObjectGrant): Promise<SignedRequest> {
    this.#path(grant.bucket, grant.key);
    return this.#signed.sign(this.#physical(grant.bucket), grant);
  }

  protected async page(listing: ObjectListing): Promise<ObjectPage> {
    return listObjects(this.#parts.cloud.client, { ...listing, bucket: this.#physical(listing.bucket) });
  }

  protected async write(write: ObjectWrite): Promise<ObjectFacts> {
    return factsOf(await upload(this.#parts.cloud.client, { ...write, bucket: this.#physical(write.bucket) }));
  }

  async #read(path: string): Promise<StorageObject | undefined> {
    return this.#orMissing<StorageObject>({ method: "GET", path, query: { fields: storageFields } });
  }

  /** Calls the API; returns undefined if the object does not exist. */
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

type ListResponse = Pick<Methods["list"]["answer"], "nextPageToken"> & { readonly items?: readonly StorageObject[] };

/** Returns a page of a bucket's objects. Cloud Storage includes the start key and may return fewer than requested. */
async function listObjects(client: CloudClient, { bucket, prefix, after, limit }: ObjectListing): Promise<ObjectPage> {
  if (!canBeginKey(prefix)) return { objects: [] };
  const objects: ObjectFacts[] = [];
  let pageToken: string | undefined;
  do {
    const { items = [], nextPageToken }: ListResponse = await client.call<ListResponse>({
      api: "storage",
      method: "GET",
      path: `/storage/v1/b/${encodeURIComponent(bucket)}/o`,
      query: {
        prefix,
        startOffset: after,
        // Two extra objects: the first may be `after` itself, and the last shows whether there is a next page.
        maxResults: Math.min(limit + 2 - objects.length, objectPage),
        pageToken,
        fields: `items(${storageFields}),nextPageToken`,
      },
    });
    for (const item of items) if (item.name !== after) objects.push(factsOf(item));
    pageToken = nextPageToken;
  } while (pageToken !== undefined && objects.length <= limit);
  const page = objects.slice(0, limit);
  const last = page.at(-1);
  return { objects: page, ...(objects.length > limit && last !== undefined && { next: last.key }) };
}
