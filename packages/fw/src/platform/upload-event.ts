import type { ObjectFacts } from "./objects.ts";

/** What is known of an upload, at the object store of this machine or of Google. */
type Uploaded = Pick<ObjectFacts, "key" | "size" | "contentType"> & { readonly updated: Date | string };

/** The message that tells a bucket's subscribers of an upload: its key, size in bytes, content type and time. */
export function uploadEvent({ key, size, contentType, updated }: Uploaded): string {
  return JSON.stringify({ key, size, contentType, updated });
}
