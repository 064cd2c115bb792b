import type { Blob } from "../../declare/blob.ts";
import { checkedStream } from "./checked-stream.ts";

/** A blob that can be read once, as one that another service answered. `over` is called once it was read, or let go. */
export function readOnce(blob: Blob, over: () => void): Blob {
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
      return followed(checkedStream(blob), over);
    },
  };
}

/** The same bytes; `over` is called at their end, however it comes. */
function followed(bytes: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  void reader.closed.then(over, over);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
