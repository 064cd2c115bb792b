import type { Context } from "../../declare/context.ts";
import type { BucketDeclaration, ObjectInfo } from "../../declare/bucket.ts";
import { Fault } from "../../declare/errors.ts";
import type { ObjectFacts, Objects } from "../../platform/objects.ts";
import { checkObjectKey } from "../../platform/object-key.ts";
import { MisfitMessage } from "../../platform/misfit.ts";
import type { Wiring } from "../application.ts";
import type { BundledBucket } from "../bundle.ts";
import { isTenantId, requireTenant, separatorOf } from "./tenant-context.ts";

/** The operations on objects that buckets use. */
export type BucketObjects = Omit<Objects, "openGrant">;

/** Restricts the objects of a bucket separated by tenant to the context's tenant. Throws a Fault outside a tenant. */
export function confinedObjects(ctx: Context, objects: Objects, bucket: BucketDeclaration): BucketObjects {
  const tenants = separatorOf(bucket);
  if (tenants === undefined) return objects;
  return confine(objects, `${requireTenant(ctx, tenants.name, `the bucket "${bucket.name}"`)}/`);
}

/** Restricts objects to keys with a prefix, so no key can name an object of another tenant. */
function confine(objects: Objects, prefix: string): BucketObjects {
  const storedKey = (key: string): string => {
    checkObjectKey(key);
    return prefix + key;
  };
  const own = <Facts extends ObjectFacts>(facts: Facts): Facts => ({ ...facts, key: facts.key.slice(prefix.length) });
  return {
    open: async (bucket, key) => {
      const object = await objects.open(bucket, storedKey(key));
      return object && { ...own(object), stream: (range) => object.stream(range) };
    },
    find: async (bucket, key) => {
      const facts = await objects.find(bucket, storedKey(key));
      return facts && own(facts);
    },
    async put(bucket, key, body, options) {
      try {
        return own(await objects.put(bucket, storedKey(key), body, options));
      } catch (error) {
        await body.cancel(error).catch(() => {});
        throw error;
      }
    },
    delete: async (bucket, key) => objects.delete(bucket, storedKey(key)),
    async list(bucket, keyPrefix, options) {
      const page = await objects.list(bucket, prefix + keyPrefix, options);
      return { ...page, objects: page.objects.filter(({ key }) => key.startsWith(prefix)).map(own) };
    },
    sign: async (grant) => objects.sign({ ...grant, key: storedKey(grant.key) }),
  };
}

/** An upload to a bucket that is separated by tenant, with the key inside the tenant. */
export interface TenantUpload {
  readonly tenants: string;
  readonly tenant: string;
  readonly info: Pick<ObjectInfo, "key">;
}

/**
 * Finds the tenant of an uploaded object; undefined if the bucket is shared. Throws a MisfitMessage if none owns it.
 */
export function tenantOfUpload(app: Wiring, bucket: string, key: string): TenantUpload | undefined {
  const tenants = separatorOf(bucketNamed(app, bucket).declaration)?.name;
  if (tenants === undefined) return undefined;
  const [tenant = ""] = key.split("/", 1);
  const own = key.slice(tenant.length + 1);
  if (!isTenantId(tenant) || own === "")
    throw new MisfitMessage(
      `the object ${JSON.stringify(key)} of the bucket "${bucket}" belongs to no tenant; it waits for a version that accepts it`,
    );
  return { tenants, tenant, info: { key: own } };
}

function bucketNamed({ bundle }: Wiring, name: string): BundledBucket {
  const bucket = bundle.buckets?.find((each) => each.name === name);
  if (bucket === undefined) throw new Fault(`the bucket "${name}" is not part of this application`);
  return bucket;
}
