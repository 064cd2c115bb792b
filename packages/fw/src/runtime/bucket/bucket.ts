import type { Blob } from "../../declare/blob.ts";
import type { Context } from "../../declare/context.ts";
import type { BucketDeclaration, ObjectInfo, PutPolicy, SignedURL } from "../../declare/bucket.ts";
import { Fault, NotFound, StatusError } from "../../declare/errors.ts";
import type { BucketOperations } from "../../declare/bucket.ts";
import { isContentType, isContentTypePattern } from "../../lib/content-type.ts";
import { parseDuration } from "../../lib/duration.ts";
import { longestSignedMs, objectPage, shortestSignedMs } from "../../lib/limits.ts";
import type { Grant, ObjectFacts, Objects } from "../../platform/objects.ts";
import { platformOf, type Application } from "../application.ts";
import { portsOf } from "../context-ports.ts";
import { checkedStream } from "../blob/checked-stream.ts";
import { storedBlob } from "./stored-blob.ts";
import { messages } from "../error-messages.ts";
import { refusing, type Refusals } from "../response/refusing.ts";

/**
 * Carries out what buckets ask for, on the application's platform. Objects take no part in transactions: inside of one they
 * are written and read at once.
 */
export function bucketOperations(application: () => Application): BucketOperations {
  const nameOf = (declaration: BucketDeclaration): string => {
    const known = application().bundle.buckets?.some((each) => each.declaration === declaration) ?? false;
    if (!known) throw new Fault(`the bucket "${declaration.name}" is not part of this application`);
    return declaration.name;
  };
  const purpose = "keep objects on";
  const objects = (ctx: Context): Objects => portsOf(application(), ctx, purpose).objects;
  const sign = async (
    ctx: Context,
    bucket: BucketDeclaration,
    lifetime: string,
    what: Unsigned,
  ): Promise<SignedURL> => {
    const expires = new Date(platformOf(application(), purpose).clock.now() + lifetimeOf(lifetime));
    return refusing(keyRefusals, () => objects(ctx).sign({ ...what, bucket: nameOf(bucket), expires }));
  };
  return {
    async get(ctx, bucket, key) {
      const found = await refusing(keyRefusals, () => objects(ctx).open(nameOf(bucket), key));
      if (found === undefined) throw NotFound();
      return storedBlob(found);
    },
    async put(ctx, bucket, key, content) {
      const contentType = typeOf(content);
      return infoOf(
        await refusing(keyRefusals, () =>
          objects(ctx).put(nameOf(bucket), key, checkedStream(content), { contentType }),
        ),
      );
    },
    delete: async (ctx, bucket, key) => refusing(keyRefusals, () => objects(ctx).delete(nameOf(bucket), key)),
    exists: async (ctx, bucket, key) =>
      (await refusing(keyRefusals, () => objects(ctx).find(nameOf(bucket), key))) !== undefined,
    list: (ctx, bucket, prefix) => eachObject(objects(ctx), nameOf(bucket), prefix),
    signedPut: async (ctx, bucket, key, lifetime, policy) =>
      sign(ctx, bucket, lifetime, { method: "PUT", key, ...checkedPolicy(policy) }),
    signedGet: async (ctx, bucket, key, lifetime) => sign(ctx, bucket, lifetime, { method: "GET", key }),
  };
}

/** A grant that is not yet of a bucket and a time. */
type Unsigned = Omit<Grant, "bucket" | "expires">;

async function* eachObject(objects: Objects, bucket: string, prefix: string): AsyncGenerator<ObjectInfo, void> {
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

function typeOf({ type }: Blob): string {
  if (type === "") return "application/octet-stream";
  if (isContentType(type)) return type;
  throw new Fault(`a blob that is put into a bucket has a media type such as "image/png", not ${JSON.stringify(type)}`);
}

/** Milliseconds of a lifetime. */
function lifetimeOf(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < shortestSignedMs || milliseconds > longestSignedMs)
    throw new StatusError(400, messages.signedLifetime);
  return milliseconds;
}

/** The policy and nothing else that its object may hold. */
function checkedPolicy({ maxSize, contentType }: PutPolicy): PutPolicy {
  if (maxSize !== undefined && !(Number.isSafeInteger(maxSize) && maxSize >= 0))
    throw new Fault(`maxSize is a whole number of bytes, not ${maxSize}`);
  if (contentType !== undefined && !isContentTypePattern(contentType))
    throw new Fault(`contentType is a media type or one such as "image/*", not ${JSON.stringify(contentType)}`);
  return { ...(maxSize !== undefined && { maxSize }), ...(contentType !== undefined && { contentType }) };
}

/** A key may come from a visitor, so an illegal one is refused as bad input. */
const keyRefusals: Refusals = { key: () => new StatusError(400, messages.objectKey) };
