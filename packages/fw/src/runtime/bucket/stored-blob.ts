import type { Blob } from "../../declare/blob.ts";
import type { StoredObject } from "../../platform/objects.ts";

/** A blob that can be read from an offset. */
interface StoredBlob extends Blob {
  slice(start: number, end: number): Blob;
}

/** Returns a stored object as a Blob, which opens nothing until its stream is read. */
export function storedBlob(object: StoredObject): StoredBlob {
  const { contentType: type, size, etag } = object;
  return {
    type,
    size,
    etag,
    stream: () => object.stream(),
    slice: (start, end) => ({ type, size: end - start, stream: () => object.stream({ start, end }) }),
  };
}
