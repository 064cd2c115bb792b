import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A disk cache of blobs by digest; digests are verified while writing. */
export class BlobCache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the blob; fetches it if it is not cached. */
  read(digest: string, pull: () => Promise<Readable>): Readable {
    return Readable.from(this.#bytes(digest, pull), { objectMode: false });
  }

  async *#bytes(digest: string, pull: () => Promise<Readable>): AsyncGenerator<Buffer> {
    const path = join(this.#directory, ...digest.split(":"));
    if (!existsSync(path)) await this.#write(path, digest, await pull());
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  }

  /** Writes to a temporary name and renames the file when it is complete, so that a crash leaves no partial blob. */
  async #write(path: string, digest: string, from: Readable): Promise<void> {
    const partial = `${path}.${randomUUID()}`;
    const hash = createHash("sha256");
    const hashing = new Transform({
      transform(chunk: Buffer, _: BufferEncoding, next: TransformCallback) {
        hash.update(chunk);
        next(undefined, chunk);
      },
    });
    await mkdir(dirname(path), { recursive: true });
    try {
      await pipeline(from, hashing, createWriteStream(partial));
      const got = `sha256:${hash.digest("hex")}`;
      if (got !== digest) throw new Error(`the registry returned ${got} instead of ${digest}`);
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }
}

/** Returns the cache directory, shared by all applications of the user. */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fw", "images");
}
