import type { Blob } from "../../declare/blob.ts";
import { pulled } from "../../lib/pulled.ts";
import { chunksOfRange } from "./send-stream.ts";

/**
 * Returns a stream of a blob's bytes. It fails if the blob's stream yields anything but bytes, or more or fewer bytes
 * than the blob's size. Calls `onEnd` when the stream ends, for any reason.
 */
export function checkedStream(blob: Blob, onEnd: () => void = () => {}): ReadableStream<Uint8Array> {
  const reader = blob.stream().getReader();
  const cancel = (reason: unknown): Promise<void> => reader.cancel(reason).finally(onEnd);
  return pulled(checkedChunks(reader, blob.size, cancel), { cancel });
}

async function* checkedChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  length: number | undefined,
  cancel: (reason: unknown) => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  let failure: unknown;
  try {
    yield* chunksOfRange(reader, { skip: 0, length, exact: true });
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    cancel(failure).catch(() => {});
  }
}
