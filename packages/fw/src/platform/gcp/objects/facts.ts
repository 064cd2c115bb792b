import type { ObjectFacts } from "../../objects.ts";
import type { Object as Described } from "../rest/generated/storage.ts";
import type { Given } from "../rest/given.ts";

/**
 * An object as Cloud Storage tells of it, numbers as text. The generation is of this content: another one has another. An object that was
 * put together from others has no MD5.
 */
export type StorageObject = Given<
  Pick<Described, "name" | "generation" | "size" | "contentType" | "updated" | "md5Hash" | "crc32c">,
  "name" | "generation" | "size" | "updated"
>;

/** The fields of it that are asked for. */
export const storageFields = "name,generation,size,contentType,updated,md5Hash,crc32c";

export function factsOf(object: StorageObject): ObjectFacts {
  return {
    key: object.name,
    size: Number(object.size),
    contentType: object.contentType ?? "application/octet-stream",
    updated: new Date(object.updated),
    etag: etagOf(object),
  };
}

/**
 * The hash of the content, which Cloud Storage's own ETag is not. Where the object was put together by other software it has none,
 * and what changes with each write stands in: it changes with the content, though not only with it.
 */
function etagOf({ md5Hash, crc32c = "", generation }: StorageObject): string {
  return md5Hash === undefined ? `${generation}-${urlSafe(crc32c)}` : urlSafe(md5Hash);
}

function urlSafe(base64: string): string {
  return Buffer.from(base64, "base64").toString("base64url");
}
