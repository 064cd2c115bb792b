import { objectPage } from "../../../lib/limits.ts";
import type { ObjectListing } from "../../base-objects.ts";
import { canBeginKey } from "../../object-key.ts";
import type { ObjectFacts, ObjectPage } from "../../objects.ts";
import type { CloudClient } from "../rest/client.ts";
import type { Methods } from "../rest/generated/storage.ts";
import { factsOf, storageFields, type StorageObject } from "./facts.ts";

type ListResponse = Pick<Methods["list"]["answer"], "nextPageToken"> & { readonly items?: readonly StorageObject[] };

/**
 * Returns a page of a bucket's objects. Cloud Storage starts at a key, inclusive, and may return fewer than requested.
 */
export async function listObjects(
  client: CloudClient,
  { bucket, prefix, after, limit }: ObjectListing,
): Promise<ObjectPage> {
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
        // The first object may be `after` itself, and one extra shows whether there are more.
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
