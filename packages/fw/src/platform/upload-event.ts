import type { ObjectFacts } from "./objects.ts";

/** An upload's metadata, from an object store of fw or from Cloud Storage. */
type UploadFacts = Pick<ObjectFacts, "key" | "size" | "contentType"> & { readonly updated: Date | string };

/** Returns the message for a bucket's subscribers, with the upload's key, size in bytes, content type and time. */
export function uploadEvent({ key, size, contentType, updated }: UploadFacts): string {
  return JSON.stringify({ key, size, contentType, updated });
}
