import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import { tarBytes, type TarEntry } from "./tar.ts";

/** A layer of an image: an archive of files that overlay earlier layers. */
export interface ImageLayer {
  readonly mediaType: string;
  /** The digest of the compressed bytes. */
  readonly digest: string;
  /** The digest of the archive. */
  readonly diffId: string;
  /** The size of the compressed bytes. */
  readonly size: number;
  open(): Readable;
}

export const gzipLayer = "application/vnd.oci.image.layer.v1.tar+gzip";

/** Computes a layer's digests without keeping its bytes. They are generated again when needed, with the same result. */
export async function layerOf(entries: readonly TarEntry[]): Promise<ImageLayer> {
  const diff = createHash("sha256");
  const compressed = createHash("sha256");
  let size = 0;
  for await (const chunk of gzipChunks(hashChunks(tarBytes(entries), diff))) {
    compressed.update(chunk);
    size += chunk.length;
  }
  return {
    mediaType: gzipLayer,
    digest: `sha256:${compressed.digest("hex")}`,
    diffId: `sha256:${diff.digest("hex")}`,
    size,
    open: () => Readable.from(gzipChunks(tarBytes(entries)), { objectMode: false }),
  };
}

/** Lists the files, links and directories below a directory, sorted by path, as entries below `place` in the image. */
export async function entriesBelow(directory: string, place: string): Promise<readonly TarEntry[]> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const entries = files.map(async (file): Promise<TarEntry> => {
    const from = join(file.parentPath, file.name);
    const path = `${place}/${from.slice(directory.length + 1).replaceAll("\\", "/")}`;
    if (file.isDirectory()) return { path, kind: "directory" };
    if (file.isSymbolicLink()) return { path, kind: "link", target: await readlink(from) };
    const { size, mode } = await stat(from);
    return { path, kind: "file", size, executable: (mode & 0o100) !== 0, open: () => createReadStream(from) };
  });
  return (await Promise.all(entries)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function* hashChunks(bytes: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The offset of the operating system field in a gzip header. */
const systemByte = 9;

/** Compresses to the same bytes on every operating system. */
async function* gzipChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  // A source error destroys the gzip stream, which then throws here.
  pipeline(Readable.from(bytes), gzip, () => {});
  let at = 0;
  for await (const chunk of gzip as AsyncIterable<Buffer>) {
    if (at <= systemByte && systemByte < at + chunk.length) chunk[systemByte - at] = 255;
    at += chunk.length;
    yield chunk;
  }
}
