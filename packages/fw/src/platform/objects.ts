export interface ObjectFacts {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly updated: Date;
  /** Changes with the content, and only with it. Without quotes. */
  readonly etag: string;
}

/** An opened object. Read each stream to its end, or cancel it. */
export interface StoredObject extends ObjectFacts {
  /**
   * Returns the bytes, or those from `start` to `end` (exclusive). Each call reads the version that was opened, even
   * after the object is replaced.
   */
  stream(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array>;
}

export interface PutOptions {
  /** A media type, with or without parameters; anything else fails with `content-type`. */
  readonly contentType: string;
  /** In bytes. A longer body fails with `too-large` as soon as possible, and nothing is written. */
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

/** The permissions of a signed URL. */
export interface Grant {
  readonly bucket: string;
  readonly key: string;
  readonly method: "GET" | "PUT";
  readonly expires: Date;
  /** For PUT only, in bytes. */
  readonly maxSize?: number;
  /** For PUT only: a media type, or one with a trailing wildcard such as `image/*`. */
  readonly contentType?: string;
}

/** A request that needs no account, with the headers that it must have. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Objects by bucket and key. A key is 1 to 1,024 bytes of UTF-8 without control characters, neither `.` nor `..`, and
 * does not start with `.well-known/acme-challenge/`; invalid keys and undefined buckets fail with `key`. A write is
 * atomic and durable when its promise resolves: readers see the old object or the new one, never a part. Each write
 * sends a message to the consumers of the bucket's `uploaded` source (`messages.ts`). A failed body or write stores
 * nothing, and the body is cancelled.
 */
export interface Objects {
  /** Opens the current version, or returns undefined. */
  open(bucket: string, key: string): Promise<StoredObject | undefined>;
  find(bucket: string, key: string): Promise<ObjectFacts | undefined>;
  put(bucket: string, key: string, body: ReadableStream<Uint8Array>, options: PutOptions): Promise<ObjectFacts>;
  /** Does nothing if there is no object. */
  delete(bucket: string, key: string): Promise<void>;
  /** Keys that start with `prefix`, by their UTF-8 bytes, after the key `after`; 1 to 1,000 a page. */
  list(
    bucket: string,
    prefix: string,
    options: { readonly after?: string; readonly limit: number },
  ): Promise<ObjectPage>;
  /** Returns a URL for the permitted request. If `openGrant` exists, the URL is a path on this origin. */
  sign(grant: Grant): Promise<SignedRequest>;
  /**
   * Returns the permissions of a signed URL's token, or undefined if it was altered or has expired. Absent if the store
   * itself answers signed URLs.
   */
  openGrant?(token: string): Promise<Grant | undefined>;
}
