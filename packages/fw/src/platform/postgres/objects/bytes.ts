import { join } from "node:path";
import { ObjectFiles } from "../../local/objects-files.ts";
import type { StoredFile } from "../../stored-object.ts";

/** A store for the bytes of objects, under names that are written once. */
export interface ObjectBytes {
  /** Writes a body; its bytes are durable when it resolves. Cancels the body and deletes its bytes if it rejects. */
  write(
    file: string,
    body: ReadableStream<Uint8Array>,
    maxSize: number,
    signal: AbortSignal,
  ): Promise<{ readonly size: number; readonly etag: string }>;
  /** The bytes from `start` up to, not including, `end`. */
  read(stored: StoredFile, start: number, end: number): ReadableStream<Uint8Array>;
  /** Does nothing if there is no such file. */
  remove(file: string): Promise<void>;
}

/** Bytes in a directory, which all machines of the application share. */
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
