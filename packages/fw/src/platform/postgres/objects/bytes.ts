import { join } from "node:path";
import { ObjectFiles } from "../../local/objects-files.ts";
import type { StoredFile } from "../../stored-object.ts";

/** Stores the bytes of objects under names that are written only once. */
export interface ObjectBytes {
  /** Writes a body durably. If it rejects, cancels the body and deletes its bytes. */
  write(
    file: string,
    body: ReadableStream<Uint8Array>,
    maxSize: number,
    signal: AbortSignal,
  ): Promise<{ readonly size: number; readonly etag: string }>;
  /** Returns the bytes from `start` to `end` (exclusive). */
  read(stored: StoredFile, start: number, end: number): ReadableStream<Uint8Array>;
  /** Does nothing if the file does not exist. */
  remove(file: string): Promise<void>;
}

/** Stores bytes in a directory that all machines of the application share. */
export function bytesOnDisk(directory: string): ObjectBytes {
  const files = new ObjectFiles(join(directory, "objects"));
  return {
    async write(file, body, maxSize, signal) {
      const written = await files.write(body, maxSize, signal, file);
      files.settle(file);
      return written;
    },
    read: ({ file }, start, end) => files.read(file, start, end, {}),
    remove: (file) => files.discard(file),
  };
}
