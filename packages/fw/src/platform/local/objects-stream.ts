import type { FileHandle } from "node:fs/promises";

const chunkBytes = 64 * 1024;

/**
 * Streams the bytes of a file from `start` to `end` (exclusive). Opens the file at the first read and closes it when
 * the stream ends in any way. Fails if the file is too short.
 */
export async function* fileBytes(
  openFile: () => Promise<FileHandle>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  if (start >= end) return;
  const handle = await openFile();
  try {
    for (let at = start; at < end;) {
      const length = Math.min(chunkBytes, end - at);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new Error("a file became shorter while it was being read");
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
