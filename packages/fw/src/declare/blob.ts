/** Bytes with a content type. The standard `Blob` and `File` are assignable to it. */
export interface Blob {
  /** Streams the bytes from the beginning. */
  stream(): ReadableStream<Uint8Array>;
  /** The content type; "" if unknown. */
  readonly type: string;
  /** The size in bytes, if known. */
  readonly size?: number;
  /** A strong ETag without quotes; fw adds them to the header. */
  readonly etag?: string;
  /** The file name for downloads. For an uploaded file, its name on the client's computer, without the path. */
  readonly name?: string;
  /** If true, browsers save the file instead of showing it. */
  readonly download?: boolean;
}

/** Options of `blob`. */
export interface BlobOptions {
  /** The content type: `"image/png"`. */
  readonly type: string;
  /** The size in bytes; pass it for a stream if you know it. */
  readonly size?: number;
  /** A strong ETag without quotes: `abc`, not `"abc"`. */
  readonly etag?: string;
  /** The file name for downloads: `"Bericht für März.csv"`. */
  readonly name?: string;
  /** If true, browsers save the file instead of showing it. */
  readonly download?: boolean;
}

/** Creates a Blob from bytes, text or a stream. For a stream, the size is known only if you pass it. */
export function blob(content: Uint8Array | string | ReadableStream<Uint8Array>, options: BlobOptions): Blob {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const { type, etag, name, download } = options;
  const said = {
    type,
    ...(etag !== undefined && { etag }),
    ...(name !== undefined && { name }),
    ...(download !== undefined && { download }),
  };
  if (bytes instanceof ReadableStream) {
    const size = options.size === undefined ? {} : { size: options.size };
    return { stream: () => bytes, ...said, ...size };
  }
  return { stream: () => streamOf(bytes), ...said, size: bytes.byteLength };
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}
