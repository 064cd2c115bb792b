import { createHash, randomBytes } from "node:crypto";
import type { Hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, opendir, unlink, type FileHandle } from "node:fs/promises";
import { pulled } from "../../lib/pulled.ts";
import { namedFile } from "../named-file.ts";
import { boundedBody } from "../bounded-body.ts";
import { fileBytes } from "./objects-stream.ts";
import { syncDirectory } from "../new-directory.ts";

/** Bytes that are hashed and written at a time, so that a body of one large chunk does not hold up everything else. */
const pieceBytes = 1024 * 1024;

/** Bytes of the content's hash that an ETag holds. */
const etagBytes = 18;

/** The bytes of an object, on disk. */
export interface WrittenFile {
  readonly file: string;
  readonly size: number;
  readonly etag: string;
}

/**
 * The files that hold the bytes of objects: written once, under names that say nothing of the keys, and deleted when no
 * object and no reader has them.
 */
export class ObjectFiles {
  readonly directory: string;
  readonly #unsettled = new Set<string>();
  readonly #readers = new Map<string, number>();
  readonly #released = new Set<string>();
  /** Those that are deleted once nobody holds all of them. */
  readonly #deferred = new Set<string>();
  #holders = 0;
  readonly #abandoned = new FinalizationRegistry<string>((file) => this.#unpin(file));

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Writes a body to a file of its own, which is on disk with its name when it resolves; it is then to be settled. When it
   * rejects there is no file.
   */
  async write(body: ReadableStream<Uint8Array>, maxSize: number, signal: AbortSignal): Promise<WrittenFile> {
    const file = randomBytes(16).toString("hex");
    this.#unsettled.add(file);
    try {
      const written = await this.#fill(file, body, maxSize, signal);
      await syncDirectory(this.directory);
      return { file, ...written };
    } catch (error) {
      body.cancel(error).catch(() => {});
      await this.discard(file);
      throw error;
    }
  }

  /** The file is held by an object. */
  settle(file: string): void {
    this.#unsettled.delete(file);
  }

  /** Deletes a file that no object came to hold. */
  async discard(file: string): Promise<void> {
    await this.#remove(file);
    this.#unsettled.delete(file);
  }

  /** Keeps a file for as long as `holder` is in use: whoever opened an object may read it after it was replaced. */
  pin(file: string, holder: object): void {
    this.#readers.set(file, (this.#readers.get(file) ?? 0) + 1);
    this.#abandoned.register(holder, file);
  }

  /** The bytes of a pinned file; the stream keeps `holder` in use. */
  read(file: string, start: number, end: number, holder: object): ReadableStream<Uint8Array> {
    return pulled(
      fileBytes(() => open(this.#path(file), "r"), start, end),
      { holder },
    );
  }

  /** Deletes a file that no object holds any more, once nobody reads it. */
  async release(file: string): Promise<void> {
    if (this.#readers.has(file)) this.#released.add(file);
    else await this.#remove(file);
  }

  /** Keeps every file that an object holds now, until what is returned is called. */
  hold(): () => void {
    this.#holders++;
    return () => {
      if (--this.#holders > 0) return;
      for (const file of this.#deferred) void this.#remove(file);
      this.#deferred.clear();
    };
  }

  /**
   * Hands over the files that no object holds: a process was killed before its commit, or before it deleted what was
   * replaced.
   */
  async sweep(isObject: (file: string) => boolean, setAside: (file: string) => Promise<void>): Promise<void> {
    for await (const { name } of await opendir(this.directory)) {
      // One look at both, without a pause in which a write could come to its end.
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
      const written = await copy(body, handle, maxSize, signal);
      await handle.datasync();
      return written;
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

  /** What cannot be deleted now is deleted when the store is opened again. */
  async #remove(file: string): Promise<void> {
    if (this.#holders > 0) return void this.#deferred.add(file);
    await unlink(this.#path(file)).catch(() => {});
  }

  #path(file: string): string {
    return namedFile(this.directory, file);
  }
}

/** Writes a body to an open file at the body's pace and the disk's. Lets go of the body when it fails. */
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

/** The ETag of bytes that were hashed. */
export function etagOf(hash: Hash): string {
  return hash.digest().subarray(0, etagBytes).toString("base64url");
}
