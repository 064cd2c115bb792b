import { boundedBody } from "../../bounded-body.ts";

/** Bytes of a body, and whether they are its last. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly last: boolean;
}

/** How a body is cut, and bounded as by `boundedBody`. */
export interface Cut {
  readonly chunkBytes: number;
  readonly maxSize: number;
  readonly signal: AbortSignal;
}

/** A body in pieces of one size, but for the last, which may be empty where it is the only one. */
export async function* chunksOf(body: ReadableStream<Uint8Array>, cut: Cut): AsyncGenerator<Chunk, void> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of boundedBody(body, cut.maxSize, cut.signal)) {
    kept.push(bytes);
    size += bytes.byteLength;
    // A whole piece may be the last: what comes after it says so.
    if (size <= cut.chunkBytes) continue;
    let rest = Buffer.concat(kept, size);
    for (; rest.byteLength > cut.chunkBytes; rest = rest.subarray(cut.chunkBytes))
      yield { bytes: rest.subarray(0, cut.chunkBytes), last: false };
    kept = [rest];
    size = rest.byteLength;
  }
  yield { bytes: Buffer.concat(kept, size), last: true };
}
