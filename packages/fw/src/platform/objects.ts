/** What is known of an object. */
export interface ObjectFacts {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly updated: Date;
  /** Changes with the content, and only with it. Bare, without quotes. */
  readonly etag: string;
}

/** An object that was opened. Whoever begins to read a stream of it reads it to the end or cancels it. */
export interface StoredObject extends ObjectFacts {
  /** The bytes, or those from `start` to `end` (exclusive) of them. Each call reads anew what was opened, also when it is replaced meanwhile. */
  stream(range?: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array>;
}

/** Options of a write of an object. */
export interface PutOptions {
  /** A media type, with or without parameters; anything else fails with `content-type`. */
  readonly contentType: string;
  /** Bytes; a longer body fails with `too-large` as soon as that is certain, and nothing is written. */
  readonly maxSize?: number;
  /** Ends the write with its reason; nothing is written. */
  readonly signal?: AbortSignal;
}

/** Objects in key order, and where the next ones begin. */
export interface ObjectPage {
  readonly objects: readonly ObjectFacts[];
  /** The last key, to be given as `after`; absent on the last page. */
  readonly next?: string;
}

/** What a signed URL allows. */
export interface Grant {
  readonly bucket: string;
  readonly key: string;
  readonly method: "GET" | "PUT";
  readonly expires: Date;
  /** Of a PUT: bytes. */
  readonly maxSize?: number;
  /** Of a PUT: a media type, or one with a trailing wildcard such as `image/*`. */
  readonly contentType?: string;
}

/** A request that somebody without an account may make, with the headers that it must carry. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Objects by bucket and key. A key is 1 to 1,024 bytes of UTF-8 without control characters, neither `.` nor `..`, and does
 * not begin with `.well-known/acme-challenge/`; any other, and a bucket that is not defined, fails with `key`. A write is
 * whole and durable when its promise resolves: a reader sees the object before it or after it, never a part. Each write is
 * told to the consumers of the bucket's `uploaded` source (`messages.ts`). A body that fails, or a write that does, leaves
 * nothing, and the body is let go.
 */
export interface Objects {
  /** The object as it is now, or undefined. */
  open(bucket: string, key: string): Promise<StoredObject | undefined>;
  find(bucket: string, key: string): Promise<ObjectFacts | undefined>;
  put(bucket: string, key: string, body: ReadableStream<Uint8Array>, options: PutOptions): Promise<ObjectFacts>;
  /** Does nothing where there is none. */
  delete(bucket: string, key: string): Promise<void>;
  /** Keys that begin with `prefix`, by their UTF-8 bytes, after the key `after`; 1 to 1,000 a page. */
  list(
    bucket: string,
    prefix: string,
    options: { readonly after?: string; readonly limit: number },
  ): Promise<ObjectPage>;
  /** A URL for what the grant allows. A path of this origin where `openGrant` is there to answer it. */
  sign(grant: Grant): Promise<SignedRequest>;
  /** What the token of a signed URL allows; undefined when it was altered or has expired. Absent where the store itself answers signed URLs. */
  openGrant?(token: string): Promise<Grant | undefined>;
}
