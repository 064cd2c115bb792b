import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import { tarBytes, type TarEntry } from "./tar.ts";

/** A layer of an image: an archive of files that lie over those of the layers before it. */
export interface ImageLayer {
  readonly mediaType: string;
  /** `sha256:…` of the compressed bytes. */
  readonly digest: string;
  /** `sha256:…` of the archive. */
  readonly diffId: string;
  /** Of the compressed bytes. */
  readonly size: number;
  open(): Readable;
}

export const gzipLayer = "application/vnd.oci.image.layer.v1.tar+gzip";

/** A layer of entries. Nothing is kept of it but its digests: whoever needs its bytes has them made again, which are the same. */
export async function layerOf(entries: readonly TarEntry[]): Promise<ImageLayer> {
  const diff = createHash("sha256");
  const compressed = createHash("sha256");
  let size = 0;
  for await (const chunk of gzipped(hashed(tarBytes(entries), diff))) {
    compressed.update(chunk);
    size += chunk.length;
  }
  return {
    mediaType: gzipLayer,
    digest: `sha256:${compressed.digest("hex")}`,
    diffId: `sha256:${diff.digest("hex")}`,
    size,
    open: () => Readable.from(gzipped(tarBytes(entries)), { objectMode: false }),
  };
}

/** Every file below a directory as it is to be in an image below `place`, sorted by path. */
export async function entriesBelow(directory: string, place: string): Promise<readonly TarEntry[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const entries = found.map(async (file): Promise<TarEntry> => {
    const from = join(file.parentPath, file.name);
    const path = `${place}/${from.slice(directory.length + 1).replaceAll("\\", "/")}`;
    if (file.isDirectory()) return { path, kind: "directory" };
    if (file.isSymbolicLink()) return { path, kind: "link", target: await readlink(from) };
    const { size, mode } = await stat(from);
    return { path, kind: "file", size, executable: (mode & 0o100) !== 0, open: () => createReadStream(from) };
  });
  return (await Promise.all(entries)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The place of the header of gzip that names the operating system. */
const systemByte = 9;

/** Compressed the same on every operating system. */
async function* gzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  // An error of the source destroys gzip with it, from which it is thrown here.
  pipeline(Readable.from(bytes), gzip, () => {});
  let at = 0;
  for await (const chunk of gzip as AsyncIterable<Buffer>) {
    if (at <= systemByte && systemByte < at + chunk.length) chunk[systemByte - at] = 255;
    at += chunk.length;
    yield chunk;
  }
}
