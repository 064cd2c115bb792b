import type { FileHandle } from "node:fs/promises";
import { pulled } from "../../lib/pulled.ts";

const chunkBytes = 64 * 1024;

/** A range of an open file: bytes from `start` up to but excluding `end`. */
export interface FileRange {
  readonly handle: FileHandle;
  readonly start: number;
  readonly end: number;
}

/**
 * Streams a range of a file as it is consumed. Calls `close` when the stream ends, for any reason. Fails if the file is
 * shorter than the range.
 */
export function fileStream(range: FileRange, close: () => Promise<void>): ReadableStream<Uint8Array> {
  return pulled(readChunks(range, close), { cancel: close });
}

async function* readChunks(
  { handle, start, end }: FileRange,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (let position = start; position < end;) {
      const length = Math.min(chunkBytes, end - position);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) throw new Error("a file became shorter while it was being sent");
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await close();
  }
}
