import { PlatformError } from "./errors.ts";

/**
 * Yields the bytes of an object's body. Throws the body's error, the signal's reason, or a PlatformError `too-large`
 * after more than `maxSize` bytes. Cancels the body if it is not read to its end.
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
  let isComplete = false;
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
    isComplete = true;
  } finally {
    signal.removeEventListener("abort", cancel);
    if (!isComplete) cancel();
  }
}
