import type { Blob } from "../../declare/blob.ts";
import { cut } from "./send-stream.ts";

/** A blob's stream, which fails where it gives something other than bytes, or more or fewer than its size says. */
export function checkedStream(blob: Blob): ReadableStream<Uint8Array> {
  const reader = blob.stream().getReader();
  const chunks = cut(reader, { skip: 0, length: blob.size, exact: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          reader.cancel(error).catch(() => {});
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
