import type { FileHandle } from "node:fs/promises";

const chunkBytes = 64 * 1024;

/**
 * The bytes of a file from `start` up to and without `end`. The file is opened when they are first asked for and closed when
 * the stream is over, however it ends: a stream that nobody reads costs nothing. It keeps `holder` in use. A file that is
 * shorter fails the stream.
 */
export function fileBytes(
  openFile: () => Promise<FileHandle>,
  start: number,
  end: number,
  holder: object,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(new FileSource(openFile, start, end, holder), { highWaterMark: 0 });
}

class FileSource {
  readonly #openFile: () => Promise<FileHandle>;
  readonly #end: number;
  readonly holder: object;
  #position: number;
  #handle: FileHandle | undefined;
  #over = false;

  constructor(openFile: () => Promise<FileHandle>, start: number, end: number, holder: object) {
    this.#openFile = openFile;
    this.#position = start;
    this.#end = end;
    this.holder = holder;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const chunk = await this.#next();
      if (chunk !== undefined) return controller.enqueue(chunk);
    } catch (error) {
      await this.cancel();
      throw error;
    }
    if (this.#over) return;
    await this.cancel();
    controller.close();
  }

  async cancel(): Promise<void> {
    this.#over = true;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #next(): Promise<Uint8Array | undefined> {
    const length = Math.min(chunkBytes, this.#end - this.#position);
    if (length <= 0) return undefined;
    const handle = (this.#handle ??= await this.#openFile());
    if (this.#over) {
      await handle.close();
      return undefined;
    }
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, this.#position);
    if (bytesRead === 0) throw new Error("a file became shorter while it was being read");
    this.#position += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
}
