import type { Blob } from "./blob.ts";
import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";

/** What is known of an object of a bucket. */
export interface ObjectInfo {
  /** The name under which it is kept. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Its media type, as it was put. */
  readonly contentType: string;
  /** When it was written. */
  readonly updated: Date;
}

/** What an upload by signed URL may be; enforced while it comes in. */
export interface PutPolicy {
  /** Bytes. */
  readonly maxSize?: number;
  /** A media type, or one with a trailing wildcard such as `image/*`. */
  readonly contentType?: string;
}

/** A request that a browser can make by itself. */
export interface SignedURL {
  /** Where the request goes: an absolute URL, or a path of the application. */
  readonly url: string;
  /** Headers that the request must carry. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Objects by key. A key is 1 to 1,024 bytes without control characters; another one is a 400. A write is whole: a
 * reader sees the object before it or after it. It takes no part in a transaction: inside of one it is made at once, for good.
 */
export interface BucketDeclaration {
  /** @internal */
  readonly kind: "bucket";
  /** @internal */
  readonly name: string;
  /** The object, with its type, size and ETag; a miss is NotFound. Read its stream, or return it. */
  get(ctx: Context, key: string): Promise<Blob>;
  /** Writes the object from a Blob, File or `blob(…)`. */
  put(ctx: Context, key: string, content: Blob): Promise<ObjectInfo>;
  /** Removes the object; does nothing where there is none. */
  delete(ctx: Context, key: string): Promise<void>;
  /** Whether there is an object. */
  exists(ctx: Context, key: string): Promise<boolean>;
  /** The objects whose keys begin with `prefix` (all by default), in key order. */
  list(ctx: Context, prefix?: string): AsyncIterable<ObjectInfo>;
  /**
   * A URL that a browser PUTs to directly, for a lifetime such as `"10m"`, 7 days at most. 413 beyond `maxSize`, 415 for
   * another type, 403 once it has expired.
   */
  signedPut(ctx: Context, key: string, lifetime: string, policy?: PutPolicy): Promise<SignedURL>;
  /** A URL that downloads the object, for a lifetime such as `"10m"`, 7 days at most. */
  signedGet(ctx: Context, key: string, lifetime: string): Promise<SignedURL>;
  /** Told of every successful write, also those by signed URL. */
  readonly uploaded: EventSource<ObjectInfo>;
}

/** Declares an object store: `export const photos = Bucket("photos")`. */
export function Bucket(name: string): BucketDeclaration {
  const bucket: BucketDeclaration = {
    kind: "bucket",
    name,
    get: (ctx, key) => operations(ctx).get(ctx, bucket, key),
    put: (ctx, key, content) => operations(ctx).put(ctx, bucket, key, content),
    delete: (ctx, key) => operations(ctx).delete(ctx, bucket, key),
    exists: (ctx, key) => operations(ctx).exists(ctx, bucket, key),
    list: (ctx, prefix = "") => operations(ctx).list(ctx, bucket, prefix),
    signedPut: (ctx, key, lifetime, policy = {}) => operations(ctx).signedPut(ctx, bucket, key, lifetime, policy),
    signedGet: (ctx, key, lifetime) => operations(ctx).signedGet(ctx, bucket, key, lifetime),
    uploaded: eventSource<ObjectInfo>("bucket.uploaded", name),
  };
  return declared(bucket);
}

/** What a bucket's declaration asks of the runtime. */
export interface BucketOperations {
  get(ctx: Context, bucket: BucketDeclaration, key: string): Promise<Blob>;
  put(ctx: Context, bucket: BucketDeclaration, key: string, content: Blob): Promise<ObjectInfo>;
  delete(ctx: Context, bucket: BucketDeclaration, key: string): Promise<void>;
  exists(ctx: Context, bucket: BucketDeclaration, key: string): Promise<boolean>;
  list(ctx: Context, bucket: BucketDeclaration, prefix: string): AsyncIterable<ObjectInfo>;
  signedPut(
    ctx: Context,
    bucket: BucketDeclaration,
    key: string,
    lifetime: string,
    policy: PutPolicy,
  ): Promise<SignedURL>;
  signedGet(ctx: Context, bucket: BucketDeclaration, key: string, lifetime: string): Promise<SignedURL>;
}

/** What it asks of the runtime, as part of the Host. */
export interface BucketHost {
  readonly buckets: BucketOperations;
}

function operations(ctx: Context): BucketOperations {
  return hosted<BucketHost>(ctx).buckets;
}
