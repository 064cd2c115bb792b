import type { FileHandle } from "node:fs/promises";
import { pulled } from "./pulled.ts";

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
  const next = async (): Promise<IteratorResult<Uint8Array, void>> => {
    const length = Math.min(chunkBytes, end - position);
    if (length <= 0) {
      await close();
      return { done: true, value: undefined };
    }
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) throw new Error("a file became shorter while it was being sent");
      position += bytesRead;
      return { done: false, value: buffer.subarray(0, bytesRead) };
    } catch (error) {
      await close();
      throw error;
    }
  };
  return pulled(next, close);
}
