import type { Blob } from "../../declare/blob.ts";
import type { Context } from "../../declare/context.ts";
import type { BucketDeclaration, ObjectInfo, PutPolicy, SignedURL, BucketOperations } from "../../declare/bucket.ts";
import { Fault, NotFound, StatusError } from "../../declare/errors.ts";
import { isContentType, isContentTypePattern } from "../../lib/content-type.ts";
import { parseDuration } from "../../lib/duration.ts";
import { longestSignedMs, objectPage } from "../../lib/limits.ts";
import type { ObjectGrant, ObjectFacts } from "../../platform/objects.ts";
import { platformOf, type Application } from "../application.ts";
import { usesTenants } from "../capabilities.ts";
import { portsOf } from "../context-ports.ts";
import { checkedStream } from "../blob/checked-stream.ts";
import { storedBlob } from "./stored-blob.ts";
import { messages } from "../error-messages.ts";
import { refusing, type Refusals } from "../response/refusing.ts";
import { confinedObjects, type BucketObjects } from "../tenant/confined-objects.ts";

/** Limit: the shortest lifetime of a signed URL, in milliseconds. */
const shortestSignedMs = 1_000;

/**
 * Implements buckets on the application's platform. Objects are written and read immediately, outside of transactions.
 */
export function bucketOperations(application: () => Application): BucketOperations {
  const requireName = (declaration: BucketDeclaration): string => {
    const isOwn = application().bundle.buckets?.some((each) => each.declaration === declaration) ?? false;
    if (!isOwn) throw new Fault(`the bucket "${declaration.name}" is not part of this application`);
    return declaration.name;
  };
  const purpose = "store objects on";
  const objects = (ctx: Context, bucket: BucketDeclaration): BucketObjects => {
    const whole = portsOf(application(), ctx, purpose).objects;
    return usesTenants ? confinedObjects(ctx, whole, bucket) : whole;
  };
  const sign = async (
    ctx: Context,
    bucket: BucketDeclaration,
    lifetime: string,
    grant: UnsignedGrant,
  ): Promise<SignedURL> => {
    const expires = new Date(platformOf(application(), purpose).clock.now() + lifetimeOf(lifetime));
    return refusing(keyRefusals, () => objects(ctx, bucket).sign({ ...grant, bucket: requireName(bucket), expires }));
  };
  return {
    async get(ctx, bucket, key) {
      const object = await refusing(keyRefusals, () => objects(ctx, bucket).open(requireName(bucket), key));
      if (object === undefined) throw NotFound();
      return storedBlob(object);
    },
    async put(ctx, bucket, key, content) {
      const contentType = contentTypeOf(content);
      return infoOf(
        await refusing(keyRefusals, () =>
          objects(ctx, bucket).put(requireName(bucket), key, checkedStream(content), { contentType }),
        ),
      );
    },
    delete: async (ctx, bucket, key) =>
      refusing(keyRefusals, () => objects(ctx, bucket).delete(requireName(bucket), key)),
    exists: async (ctx, bucket, key) =>
      (await refusing(keyRefusals, () => objects(ctx, bucket).find(requireName(bucket), key))) !== undefined,
    list: (ctx, bucket, prefix) => listObjects(objects(ctx, bucket), requireName(bucket), prefix),
    signedPut: async (ctx, bucket, key, lifetime, policy) =>
      sign(ctx, bucket, lifetime, { method: "PUT", key, ...checkedPolicy(policy) }),
    signedGet: async (ctx, bucket, key, lifetime) => sign(ctx, bucket, lifetime, { method: "GET", key }),
  };
}

/** A grant without its bucket and expiry. */
type UnsignedGrant = Omit<ObjectGrant, "bucket" | "expires">;

async function* listObjects(objects: BucketObjects, bucket: string, prefix: string): AsyncGenerator<ObjectInfo, void> {
  let after: string | undefined;
  do {
    const page = await objects.list(bucket, prefix, { limit: objectPage, ...(after !== undefined && { after }) });
    for (const facts of page.objects) yield infoOf(facts);
    after = page.next;
  } while (after !== undefined);
}

function infoOf({ key, size, contentType, updated }: ObjectFacts): ObjectInfo {
  return { key, size, contentType, updated };
}

function contentTypeOf({ type }: Blob): string {
  if (type === "") return "application/octet-stream";
  if (isContentType(type)) return type;
  throw new Fault(`a blob in a bucket needs a media type such as "image/png", not ${JSON.stringify(type)}`);
}

/** Parses a lifetime into milliseconds. Throws a 400 if it is out of range. */
function lifetimeOf(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < shortestSignedMs || milliseconds > longestSignedMs)
    throw new StatusError(400, messages.signedLifetime);
  return milliseconds;
}

/** Returns only the known fields of a policy. Throws a Fault for an invalid value. */
function checkedPolicy({ maxSize, contentType }: PutPolicy): PutPolicy {
  if (maxSize !== undefined && !(Number.isSafeInteger(maxSize) && maxSize >= 0))
    throw new Fault(`maxSize must be a whole number of bytes, not ${maxSize}`);
  if (contentType !== undefined && !isContentTypePattern(contentType))
    throw new Fault(
      `contentType must be a media type or a pattern such as "image/*", not ${JSON.stringify(contentType)}`,
    );
  return { ...(maxSize !== undefined && { maxSize }), ...(contentType !== undefined && { contentType }) };
}

/** Refuses an invalid key with a 400, because keys may come from clients. */
const keyRefusals: Refusals = { key: () => new StatusError(400, messages.objectKey) };
