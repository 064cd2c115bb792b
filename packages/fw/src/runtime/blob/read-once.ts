import type { Blob } from "../../declare/blob.ts";
import { checkedStream } from "./checked-stream.ts";

/** A blob that can be read once, as one that another service answered. `over` is called once it was read, or let go. */
export function readOnce(blob: Blob, over?: () => void): Blob {
  const { type, size, etag, name, download } = blob;
  let taken = false;
  return {
    type,
    ...(size !== undefined && { size }),
    ...(etag !== undefined && { etag }),
    ...(name !== undefined && { name }),
    ...(download !== undefined && { download }),
    stream() {
      if (taken) throw new Error("a Blob of another service can be read once");
      taken = true;
      return checkedStream(blob, over);
    },
  };
}
