import type { Blob } from "../../declare/blob.ts";
import { pulled } from "../../lib/pulled.ts";
import { cut } from "./send-stream.ts";

/**
 * A blob's stream, which fails where it gives something other than bytes, or more or fewer than its size says. `over` is called at its
 * end, however it comes.
 */
export function checkedStream(blob: Blob, over: () => void = () => {}): ReadableStream<Uint8Array> {
  const reader = blob.stream().getReader();
  const cancel = (reason: unknown): Promise<void> => reader.cancel(reason).finally(over);
  return pulled(checked(reader, blob.size, cancel), { cancel });
}

async function* checked(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  length: number | undefined,
  cancel: (reason: unknown) => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  let failure: unknown;
  try {
    yield* cut(reader, { skip: 0, length, exact: true });
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    cancel(failure).catch(() => {});
  }
}
