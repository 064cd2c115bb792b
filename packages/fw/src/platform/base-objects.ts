import { isContentType } from "../lib/content-type.ts";
import { objectPage } from "../lib/limits.ts";
import { closedError, PlatformError } from "./errors.ts";
import { checkObjectKey } from "./object-key.ts";
import type {
  ObjectGrant,
  ObjectFacts,
  ObjectPage,
  Objects,
  PutOptions,
  SignedRequest,
  StoredObject,
} from "./objects.ts";

export interface ObjectListing {
  readonly bucket: string;
  readonly prefix: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** A validated write of an object. Its signal aborts when the caller's signal does, and when the store closes. */
export interface ObjectWrite extends Required<PutOptions> {
  readonly bucket: string;
  readonly key: string;
  readonly body: ReadableStream<Uint8Array>;
}

/** Validates the arguments of an object store and tracks its writes; each platform supplies the storage. */
export abstract class BaseObjects implements Objects {
  readonly #running = new Map<AbortController, Promise<unknown>>();
  protected buckets: ReadonlySet<string>;
  protected closed = false;

  constructor(buckets: readonly string[]) {
    this.buckets = new Set(buckets);
  }

  abstract open(bucket: string, key: string): Promise<StoredObject | undefined>;
  abstract find(bucket: string, key: string): Promise<ObjectFacts | undefined>;
  abstract delete(bucket: string, key: string): Promise<void>;
  abstract sign(grant: ObjectGrant): Promise<SignedRequest>;

  /** Writes an object. Cancels the body if the arguments are invalid. */
  async put(bucket: string, key: string, body: ReadableStream<Uint8Array>, options: PutOptions): Promise<ObjectFacts> {
    const { contentType, maxSize = Infinity, signal: callerSignal } = options;
    checkWrite(body, () => {
      this.check(bucket, key);
      checkContentType(contentType);
    });
    const controller = new AbortController();
    const abort = (): void => controller.abort(callerSignal?.reason);
    if (callerSignal?.aborted) abort();
    callerSignal?.addEventListener("abort", abort);
    const working = this.write({ bucket, key, body, contentType, maxSize, signal: controller.signal });
    this.#running.set(controller, working);
    try {
      return await working;
    } finally {
      this.#running.delete(controller);
      callerSignal?.removeEventListener("abort", abort);
    }
  }

  async list(
    bucket: string,
    prefix: string,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<ObjectPage> {
    this.#checkBucket(bucket);
    if (!Number.isInteger(limit) || limit < 1 || limit > objectPage)
      throw new PlatformError("query", `a page must have 1 to ${objectPage} objects, not ${limit}`);
    return this.page({ bucket, prefix, after, limit });
  }

  /** Aborts uploads whose bodies are still arriving, and waits for commits in progress. */
  async close(): Promise<void> {
    this.closed = true;
    for (const controller of this.#running.keys()) controller.abort(closedError());
    await Promise.allSettled(this.#running.values());
  }

  protected abstract write(write: ObjectWrite): Promise<ObjectFacts>;

  protected abstract page(listing: ObjectListing): Promise<ObjectPage>;

  /** Throws a PlatformError `closed` after `close`, or `key` if the bucket is not defined or the key is invalid. */
  protected check(bucket: string, key: string): void {
    this.#checkBucket(bucket);
    checkObjectKey(key);
  }

  #checkBucket(bucket: string): void {
    if (this.closed) throw closedError();
    if (!this.buckets.has(bucket))
      throw new PlatformError("key", `the bucket ${JSON.stringify(bucket)} is not defined`);
  }
}

/** Runs a check. If it throws, cancels the body and rethrows the error. */
export function checkWrite(body: ReadableStream<Uint8Array>, check: () => void): void {
  try {
    check();
  } catch (error) {
    body.cancel(error).catch(() => {});
    throw error;
  }
}

export function checkContentType(contentType: string): void {
  if (!isContentType(contentType))
    throw new PlatformError("content-type", `${JSON.stringify(contentType)} is not a content type`);
}
