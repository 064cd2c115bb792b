import type { Blob } from "../../declare/blob.ts";
import { pulled } from "./pulled.ts";
import { cut } from "./send-stream.ts";

/**
 * A blob's stream, which fails where it gives something other than bytes, or more or fewer than its size says. `over` is called at its
 * end, however it comes.
 */
export function checkedStream(blob: Blob, over: () => void = () => {}): ReadableStream<Uint8Array> {
  const reader = blob.stream().getReader();
  const chunks = cut(reader, { skip: 0, length: blob.size, exact: true });
  const cancel = (reason: unknown): Promise<void> => reader.cancel(reason).finally(over);
  const next = async (): Promise<IteratorResult<Uint8Array, void>> => {
    try {
      const chunk = await chunks.next();
      if (chunk.done) over();
      return chunk;
    } catch (error) {
      cancel(error).catch(() => {});
      throw error;
    }
  };
  return pulled(next, cancel);
}
