import type { FileHandle } from "node:fs/promises";

const chunkBytes = 64 * 1024;

/**
 * The bytes of an open file from `start` up to and without `end`, read as they are asked for. `close` is called when
 * the stream is over, however it ends. A file that is shorter fails the stream.
 */
export function fileStream(
  handle: FileHandle,
  start: number,
  end: number,
  close: () => Promise<void>,
): ReadableStream<Uint8Array> {
  let position = start;
  return new ReadableStream(
    {
      async pull(controller) {
        if (position >= end) {
          await close();
          controller.close();
          return;
        }
        const length = Math.min(chunkBytes, end - position);
        try {
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
          if (bytesRead === 0) throw new Error("a file became shorter while it was being sent");
          position += bytesRead;
          controller.enqueue(buffer.subarray(0, bytesRead));
        } catch (error) {
          await close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
