import { boundedBody } from "./bounded-body.ts";

/** Consecutive bytes of a body, and whether the body ends with them. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly last: boolean;
}

/** The chunk size and the limits for `boundedBody`. */
export interface ChunkOptions {
  readonly chunkBytes: number;
  readonly maxSize: number;
  readonly signal: AbortSignal;
}

/** Splits a body into chunks of equal size. The last one may be shorter; it is empty only if the body is empty. */
export async function* chunksOf(body: ReadableStream<Uint8Array>, options: ChunkOptions): AsyncGenerator<Chunk, void> {
  let buffered: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of boundedBody(body, options.maxSize, options.signal)) {
    buffered.push(bytes);
    size += bytes.byteLength;
    // A full chunk may be the last one, so wait for more bytes before yielding it.
    if (size <= options.chunkBytes) continue;
    let rest = Buffer.concat(buffered, size);
    for (; rest.byteLength > options.chunkBytes; rest = rest.subarray(options.chunkBytes))
      yield { bytes: rest.subarray(0, options.chunkBytes), last: false };
    buffered = [rest];
    size = rest.byteLength;
  }
  yield { bytes: Buffer.concat(buffered, size), last: true };
}
