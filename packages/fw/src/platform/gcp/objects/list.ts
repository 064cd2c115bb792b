import { objectPage } from "../../../lib/limits.ts";
import type { ObjectListing } from "../../base-objects.ts";
import { canBeginKey } from "../../object-key.ts";
import type { ObjectFacts, ObjectPage } from "../../objects.ts";
import type { CloudClient } from "../rest/client.ts";
import type { Methods } from "../rest/generated/storage.ts";
import { factsOf, storageFields, type StorageObject } from "./facts.ts";

type Listed = Pick<Methods["list"]["answer"], "nextPageToken"> & { readonly items?: readonly StorageObject[] };

/**
 * A page of a bucket's objects. Cloud Storage begins at a key and not after it, and may answer with fewer than it was
 * asked for.
 */
export async function listObjects(
  client: CloudClient,
  { bucket, prefix, after, limit }: ObjectListing,
): Promise<ObjectPage> {
  if (!canBeginKey(prefix)) return { objects: [] };
  const objects: ObjectFacts[] = [];
  let pageToken: string | undefined;
  do {
    const { items = [], nextPageToken }: Listed = await client.call<Listed>({
      api: "storage",
      method: "GET",
      path: `/storage/v1/b/${encodeURIComponent(bucket)}/o`,
      query: {
        prefix,
        startOffset: after,
        // The first may be the key itself, and one more says that there are more.
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
