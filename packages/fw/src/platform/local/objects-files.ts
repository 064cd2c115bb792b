import { createHash, randomBytes, type Hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, opendir, unlink, type FileHandle } from "node:fs/promises";
import { pulled } from "../../lib/pulled.ts";
import { namedFile } from "../named-file.ts";
import { boundedBody } from "../bounded-body.ts";
import { syncDirectory } from "../new-directory.ts";

/** Bytes to hash and write at once, so that a large chunk does not block the event loop. */
const pieceBytes = 1024 * 1024;

/** The number of bytes of the content hash that an ETag contains. */
const etagBytes = 18;

export interface WrittenFile {
  readonly file: string;
  readonly size: number;
  readonly etag: string;
}

/**
 * The files with the bytes of objects. They are immutable and have random names. A file is deleted when no object or
 * reader needs it.
 */
export class ObjectFiles {
  readonly directory: string;
  readonly #unsettled = new Set<string>();
  readonly #readers = new Map<string, number>();
  readonly #released = new Set<string>();
  /** Files to delete when the last hold ends. */
  readonly #deferred = new Set<string>();
  #holders = 0;
  readonly #abandoned = new FinalizationRegistry<string>((file) => this.#unpin(file));

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Writes a body to a new file, and syncs the file and its directory; call `settle` or `discard` next. Leaves no file
   * if it rejects.
   */
  async write(
    body: ReadableStream<Uint8Array>,
    maxSize: number,
    signal: AbortSignal,
    file: string = newFileName(),
  ): Promise<WrittenFile> {
    this.#unsettled.add(file);
    try {
      const facts = await this.#fill(file, body, maxSize, signal);
      await syncDirectory(this.directory);
      return { file, ...facts };
    } catch (error) {
      body.cancel(error).catch(() => {});
      await this.discard(file);
      throw error;
    }
  }

  settle(file: string): void {
    this.#unsettled.delete(file);
  }

  /** Deletes a file that belongs to no object. */
  async discard(file: string): Promise<void> {
    await this.#remove(file);
    this.#unsettled.delete(file);
  }

  /** Keeps a file while `holder` is reachable, so that an opened object stays readable after it is replaced. */
  pin(file: string, holder: object): void {
    this.#readers.set(file, (this.#readers.get(file) ?? 0) + 1);
    this.#abandoned.register(holder, file);
  }

  /** Reads a pinned file; the stream keeps `holder` reachable. */
  read(file: string, start: number, end: number, holder: object): ReadableStream<Uint8Array> {
    return pulled(
      fileBytes(() => open(this.#path(file), "r"), start, end),
      { holder },
    );
  }

  /** Deletes a file that no object needs, once its last reader is done. */
  async release(file: string): Promise<void> {
    if (this.#readers.has(file)) this.#released.add(file);
    else await this.#remove(file);
  }

  /** Keeps every current object file until the returned function is called. */
  hold(): () => void {
    this.#holders++;
    return () => {
      if (--this.#holders > 0) return;
      for (const file of this.#deferred) void this.#remove(file);
      this.#deferred.clear();
    };
  }

  /**
   * Passes files that belong to no object to `setAside`: they are left over from a process that was killed before a
   * commit or a deletion.
   */
  async sweep(isObject: (file: string) => boolean, setAside: (file: string) => Promise<void>): Promise<void> {
    for await (const { name } of await opendir(this.directory)) {
      // Both checks are synchronous, so that no write can complete between them.
      const isInUse = this.#holders > 0 || this.#unsettled.has(name) || this.#readers.has(name);
      if (!isInUse && !isObject(name)) await setAside(name);
    }
  }

  async #fill(
    file: string,
    body: ReadableStream<Uint8Array>,
    maxSize: number,
    signal: AbortSignal,
  ): Promise<Omit<WrittenFile, "file">> {
    const handle = await open(this.#path(file), "wx", 0o600);
    try {
      const facts = await copy(body, handle, maxSize, signal);
      await handle.datasync();
      return facts;
    } finally {
      await handle.close();
    }
  }

  #unpin(file: string): void {
    const left = (this.#readers.get(file) ?? 0) - 1;
    if (left > 0) return void this.#readers.set(file, left);
    this.#readers.delete(file);
    if (this.#released.delete(file)) void this.#remove(file);
  }

  /** Deletes a file as soon as no `hold` is active. If the deletion fails, a later sweep finds the file. */
  async #remove(file: string): Promise<void> {
    if (this.#holders > 0) return void this.#deferred.add(file);
    await unlink(this.#path(file)).catch(() => {});
  }

  #path(file: string): string {
    return namedFile(this.directory, file);
  }
}

/** Returns a name that reveals nothing about the object's key. */
export function newFileName(): string {
  return randomBytes(16).toString("hex");
}

/** Writes a body to an open file with backpressure. Cancels the body if it fails. */
async function copy(
  body: ReadableStream<Uint8Array>,
  handle: FileHandle,
  maxSize: number,
  signal: AbortSignal,
): Promise<Omit<WrittenFile, "file">> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const value of boundedBody(body, maxSize, signal)) {
    size += value.byteLength;
    for (let at = 0; at < value.byteLength; at += pieceBytes) {
      const piece = value.subarray(at, at + pieceBytes);
      hash.update(piece);
      await handle.writeFile(piece);
    }
  }
  return { size, etag: etagOf(hash) };
}

export function etagOf(hash: Hash): string {
  return hash.digest().subarray(0, etagBytes).toString("base64url");
}

const chunkBytes = 64 * 1024;

/**
 * Streams the bytes of a file from `start` to `end` (exclusive). Opens the file on the first read and closes it when
 * the stream ends for any reason. Fails if the file is too short.
 */
async function* fileBytes(
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
