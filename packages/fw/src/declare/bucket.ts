import type { Blob } from "./blob.ts";
import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";
import type { TenantDeclaration, TenantSetting } from "./tenant.ts";

/** The metadata of an object in a bucket. */
export interface ObjectInfo {
  /** The object's key. */
  readonly key: string;
  /** The size in bytes. */
  readonly size: number;
  /** The content type it was written with. */
  readonly contentType: string;
  /** The time of the last write. */
  readonly updated: Date;
}

/** Limits for an upload through a signed URL. Uploads that violate them are rejected. */
export interface PutPolicy {
  /** The maximum size in bytes. */
  readonly maxSize?: number;
  /** The required content type or, except on Google Cloud, a pattern with a trailing wildcard such as `image/*`. */
  readonly contentType?: string;
}

/** A signed request for a browser to send. */
export interface SignedURL {
  /** The URL to request: absolute, or a path of the application. */
  readonly url: string;
  /** Headers that the request must include. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An object store. A key is 1 to 1,024 bytes without control characters; other keys throw a 400. Writes are atomic: a
 * reader sees either the old object or the new one. Writes are not part of transactions: inside `transaction` they take
 * effect immediately and are not rolled back.
 */
export interface BucketDeclaration {
  /** @internal */
  readonly kind: "bucket";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly tenant?: TenantDeclaration | "shared";
  /** Returns an object, to stream or to return from an API. Throws `NotFound` if it does not exist. */
  get(ctx: Context, key: string): Promise<Blob>;
  /** Writes an object from a Blob, a File or `blob(…)`. */
  put(ctx: Context, key: string, content: Blob): Promise<ObjectInfo>;
  /** Deletes an object, if it exists. */
  delete(ctx: Context, key: string): Promise<void>;
  /** True if the object exists. */
  exists(ctx: Context, key: string): Promise<boolean>;
  /** Lists objects whose keys start with `prefix`, in key order; all objects by default. */
  list(ctx: Context, prefix?: string): AsyncIterable<ObjectInfo>;
  /**
   * Creates a URL for a direct PUT from a browser, valid for a duration such as `"10m"`, at most 7 days. Uploads fail
   * with a 413 above `maxSize`, a 415 for another content type, and a 403 after the URL has expired. Google Cloud
   * responds with its own 400 or 403 instead.
   */
  signedPut(ctx: Context, key: string, lifetime: string, policy?: PutPolicy): Promise<SignedURL>;
  /** Creates a URL to download the object, valid for a duration such as `"10m"`, at most 7 days. */
  signedGet(ctx: Context, key: string, lifetime: string): Promise<SignedURL>;
  /** Emitted after every successful write, including uploads through signed URLs. */
  readonly uploaded: EventSource<ObjectInfo>;
}

/**
 * Declares an object store: `export const photos = Bucket("photos")`. With `{ tenant: orgs }`, each tenant has its own
 * keys.
 */
export function Bucket(name: string, settings: TenantSetting = {}): BucketDeclaration {
  const bucket: BucketDeclaration = {
    kind: "bucket",
    name,
    ...(settings.tenant && { tenant: settings.tenant }),
    get: (ctx, key) => operations(ctx).get(ctx, bucket, key),
    put: (ctx, key, content) => operations(ctx).put(ctx, bucket, key, content),
    delete: (ctx, key) => operations(ctx).delete(ctx, bucket, key),
    exists: (ctx, key) => operations(ctx).exists(ctx, bucket, key),
    list: (ctx, prefix = "") => operations(ctx).list(ctx, bucket, prefix),
    signedPut: (ctx, key, lifetime, policy = {}) => operations(ctx).signedPut(ctx, bucket, key, lifetime, policy),
    signedGet: (ctx, key, lifetime) => operations(ctx).signedGet(ctx, bucket, key, lifetime),
    uploaded: eventSource<ObjectInfo>("bucket.uploaded", name),
  };
  return recordDeclaration(bucket);
}

/** Bucket operations, as the runtime implements them. */
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

/** The part of the Host that stores objects. */
export interface BucketHost {
  readonly buckets: BucketOperations;
}

function operations(ctx: Context): BucketOperations {
  return hosted<BucketHost>(ctx).buckets;
}
