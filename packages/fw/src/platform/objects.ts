export interface ObjectFacts {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly updated: Date;
  /** Changes whenever the content changes. Without quotes. */
  readonly etag: string;
}

/** An opened object. Read each stream to its end, or cancel it. */
export interface StoredObject extends ObjectFacts {
  /**
   * Returns all bytes, or the range from `start` to `end` (exclusive). Always reads the version that was opened, even
   * after the object is replaced.
   */
  stream(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array>;
}

export interface PutOptions {
  /** A media type, with or without parameters; anything else fails with `content-type`. */
  readonly contentType: string;
  /** The maximum size in bytes. A larger body fails with `too-large` as soon as possible, and nothing is written. */
  readonly maxSize?: number;
  /** Aborts the write with its reason; nothing is written. */
  readonly signal?: AbortSignal;
}

/** Objects in key order and the cursor of the next page. */
export interface ObjectPage {
  readonly objects: readonly ObjectFacts[];
  /** The last key; pass it as `after`. Absent on the last page. */
  readonly next?: string;
}

/** The operation that a signed URL permits. */
export interface ObjectGrant {
  readonly bucket: string;
  readonly key: string;
  readonly method: "GET" | "PUT";
  readonly expires: Date;
  /** For PUT only, in bytes. */
  readonly maxSize?: number;
  /** For PUT only: a media type, optionally with a trailing wildcard such as `image/*`. */
  readonly contentType?: string;
}

/** A request that needs no credentials, and the headers that it must have. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Objects by bucket and key. A key is 1 to 1,024 bytes of UTF-8 without control characters. It must not be `.` or `..`
 * or start with `.well-known/acme-challenge/`; invalid keys and undefined buckets fail with `key`. A write is atomic:
 * readers see the old object or the new one. It is durable when its promise resolves. Each write sends a message to the
 * consumers of the bucket's `uploaded` source (`messages.ts`). A failed body or write stores nothing, and the body is
 * canceled.
 */
export interface Objects {
  /** Opens the current version, or returns undefined. */
  open(bucket: string, key: string): Promise<StoredObject | undefined>;
  find(bucket: string, key: string): Promise<ObjectFacts | undefined>;
  put(bucket: string, key: string, body: ReadableStream<Uint8Array>, options: PutOptions): Promise<ObjectFacts>;
  /** Does nothing if there is no object. */
  delete(bucket: string, key: string): Promise<void>;
  /** Lists keys that start with `prefix`, in UTF-8 byte order, after the key `after`; 1 to 1,000 per page. */
  list(
    bucket: string,
    prefix: string,
    options: { readonly after?: string; readonly limit: number },
  ): Promise<ObjectPage>;
  /** Returns the URL and headers of the permitted request. If `openGrant` exists, the URL is a path on this origin. */
  sign(grant: ObjectGrant): Promise<SignedRequest>;
  /**
   * Returns what a signed URL's token permits, or undefined if it was altered or has expired. Absent if the store
   * itself serves signed URLs.
   */
  openGrant?(token: string): Promise<ObjectGrant | undefined>;
}
