import type { Blob } from "../../declare/blob.ts";
import { checkedStream } from "./checked-stream.ts";

/**
 * Wraps the blob in another service's response, which can be read once. Calls `over` after it was read or cancelled.
 */
export function readOnce(blob: Blob, onEnd?: () => void): Blob {
  const { type, size, etag, name, download } = blob;
  let isRead = false;
  return {
    type,
    ...(size !== undefined && { size }),
    ...(etag !== undefined && { etag }),
    ...(name !== undefined && { name }),
    ...(download !== undefined && { download }),
    stream() {
      if (isRead) throw new Error("a Blob of another service can be read only once: keep its bytes to read it again");
      isRead = true;
      return checkedStream(blob, onEnd);
    },
  };
}
