import type { FileHandle } from "node:fs/promises";
import { uploadMemoryBytes } from "../../../lib/limits.ts";
import { pulled } from "../../../lib/pulled.ts";
import { fileStream } from "../../blob/file-stream.ts";
import { Blocks } from "./blocks.ts";
import { type TemporaryFile, openTemporary } from "./temporary.ts";

/** Limit: total bytes of uploads that all requests hold in memory; more go directly to temporary files. */
const uploadMemoryBytesTotal = 128 * 1024 * 1024;

/** The number of bytes to collect before each write to the temporary file. */
const writeBytes = 1024 * 1024;

// The memory used by all uploads of this process, in bytes.
let memoryInUse = 0;

export type StoredPart = Pick<Part, "size" | "read">;

/**
 * Stores the files of one request: in memory, or in a single temporary file above a limit for the request or for all
 * requests.
 */
export class UploadStore {
  readonly #parts: Part[] = [];
  #file: TemporaryFile | undefined;
  #written = 0;
  #taken = 0;
  #gone = false;

  begin(): StoredPart {
    const part = new Part(() => this.#source());
    this.#parts.push(part);
    return part;
  }

  append(bytes: Uint8Array): void {
    const part = this.#parts.at(-1);
    if (part === undefined) throw new Error("append before begin");
    this.#release(part);
    part.blocks.append(bytes);
    this.#take(part);
  }

  /** Writes data that does not fit in memory. Await this between the chunks of a body. */
  async settle(): Promise<void> {
    const spares = this.#file === undefined && memoryInUse <= uploadMemoryBytesTotal;
    if (this.#taken > (spares ? uploadMemoryBytes : writeBytes)) await this.#spill();
  }

  /** Ends the body. Each part is then either in memory or in the file. */
  async finish(): Promise<void> {
    await this.settle();
    if (this.#file !== undefined) await this.#spill();
  }

  async dispose(): Promise<void> {
    this.#gone = true;
    for (const part of this.#parts) this.#clear(part);
    await this.#file?.close();
  }

  #take(part: Part): void {
    this.#taken += part.blocks.reserved;
    memoryInUse += part.blocks.reserved;
  }

  #release(part: Part): void {
    this.#taken -= part.blocks.reserved;
    memoryInUse -= part.blocks.reserved;
  }

  #clear(part: Part): void {
    this.#release(part);
    part.blocks.clear();
  }

  async #spill(): Promise<void> {
    this.#file ??= await openTemporary();
    for (const part of this.#parts) {
      if (part.blocks.size === 0) continue;
      part.fileStart ??= this.#written;
      for (const block of part.blocks.all()) this.#written += await writeAll(this.#file.handle, block, this.#written);
      part.fileBytes += part.blocks.size;
      this.#clear(part);
    }
  }

  #source(): FileHandle | undefined {
    if (this.#gone) throw new Error("an uploaded file ends with its request: read or store it before then");
    return this.#file?.handle;
  }
}

/** A part in memory, or a range of the temporary file. */
class Part {
  readonly blocks: Blocks = new Blocks();
  fileStart: number | undefined;
  fileBytes = 0;
  readonly #source: () => FileHandle | undefined;

  constructor(source: () => FileHandle | undefined) {
    this.#source = source;
  }

  get size(): number {
    return this.fileBytes + this.blocks.size;
  }

  /** Reads bytes from `start` up to but excluding `end`. Throws once the upload is disposed. */
  read(start: number, end: number): ReadableStream<Uint8Array> {
    const handle = this.#source();
    if (handle === undefined || this.fileStart === undefined) return pulled(piecesOf(this.blocks.all(), start, end));
    return fileStream({ handle, start: this.fileStart + start, end: this.fileStart + end }, async () => {});
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<number> {
  let written = 0;
  while (written < bytes.byteLength) {
    written += (await handle.write(bytes, written, bytes.byteLength - written, position + written)).bytesWritten;
  }
  return written;
}

/** Yields copies of the bytes in blocks, so one reader cannot change the data for the next. */
async function* piecesOf(blocks: readonly Buffer[], start: number, end: number): AsyncGenerator<Uint8Array, void> {
  let offset = 0;
  for (const block of blocks) {
    const piece = block.subarray(Math.max(0, start - offset), Math.max(0, end - offset));
    offset += block.byteLength;
    if (piece.byteLength > 0) yield new Uint8Array(piece);
  }
}
