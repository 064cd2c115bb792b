import type { FileHandle } from "node:fs/promises";

const chunkBytes = 64 * 1024;

/**
 * The bytes of a file from `start` up to and without `end`. The file is opened when they are first asked for and closed when
 * that is over, however it ends. A file that is shorter fails.
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
