import { PlatformError } from "./errors.ts";

/**
 * The bytes of an object's body as they come. Fails with what the body fails with, with the signal's reason, and with `too-large` as
 * soon as there are more than `maxSize` of them. A body that is not read to its end is let go.
 */
export async function* boundedBody(
  body: ReadableStream<Uint8Array>,
  maxSize: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", cancel);
  let size = 0;
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      size += value.byteLength;
      if (size > maxSize) throw new PlatformError("too-large", `the object is larger than ${maxSize} bytes`);
      yield value;
    }
    ended = true;
  } finally {
    signal.removeEventListener("abort", cancel);
    if (!ended) cancel();
  }
}
