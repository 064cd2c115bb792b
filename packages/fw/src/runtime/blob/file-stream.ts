import type { FileHandle } from "node:fs/promises";
import { pulled } from "../../lib/pulled.ts";

const chunkBytes = 64 * 1024;

/** A stretch of an open file: bytes `start` up to and without `end`. */
export interface FilePart {
  readonly handle: FileHandle;
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes of a stretch of a file, read as they are asked for. `close` is called when the stream is over, however it ends. A file that is
 * shorter fails the stream.
 */
export function fileStream(part: FilePart, close: () => Promise<void>): ReadableStream<Uint8Array> {
  return pulled(piecesOf(part, close), { cancel: close });
}

async function* piecesOf(
  { handle, start, end }: FilePart,
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
