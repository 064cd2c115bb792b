import type { ObjectFacts } from "../../objects.ts";
import type { Object as Described } from "../rest/generated/storage.ts";
import type { WithFields } from "../rest/with-fields.ts";

/**
 * An object as Cloud Storage returns it, with numbers as strings. The generation identifies a version of the content.
 * Composed objects have no MD5.
 */
export type StorageObject = WithFields<
  Pick<Described, "name" | "generation" | "size" | "contentType" | "updated" | "md5Hash" | "crc32c">,
  "name" | "generation" | "size" | "updated"
>;

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
 * Derives the ETag from the content's hash, because Cloud Storage's own ETag is not a hash. Composed objects have no
 * MD5, so theirs contains the CRC and the generation, which changes with every write.
 */
function etagOf({ md5Hash, crc32c = "", generation }: StorageObject): string {
  return md5Hash === undefined ? `${generation}-${urlSafe(crc32c)}` : urlSafe(md5Hash);
}

function urlSafe(base64: string): string {
  return Buffer.from(base64, "base64").toString("base64url");
}
