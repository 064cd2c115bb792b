/** Bytes with a type: the platform's own `Blob` and `File` fit. */
export interface Blob {
  /** The bytes, from their beginning. */
  stream(): ReadableStream<Uint8Array>;
  /** Content type; "" when unknown. */
  readonly type: string;
  /** Bytes, when known. */
  readonly size?: number;
  /** Strong validator, bare: the header quotes it. */
  readonly etag?: string;
  /**
   * The name that whoever gets it saves it under; of an uploaded file, the one it had on the client's disk, without a
   * path.
   */
  readonly name?: string;
  /** True: a browser saves it and shows nothing. */
  readonly download?: boolean;
}

/** What is known of bytes that become a Blob. */
export interface BlobOptions {
  /** The content type: `"image/png"`. */
  readonly type: string;
  /** Bytes; to be given for a stream, where it is known. */
  readonly size?: number;
  /** Strong validator, bare: `abc`, not `"abc"`. */
  readonly etag?: string;
  /** The name that whoever gets it saves it under: `"Bericht für März.csv"`. */
  readonly name?: string;
  /** True: a browser saves it and shows nothing. */
  readonly download?: boolean;
}

/** Builds a Blob from bytes, text or a stream. The size is known unless a stream is given without one. */
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
