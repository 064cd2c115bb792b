import { eventName } from "../../lib/events.ts";
import * as names from "../../platform/gcp/names.ts";
import { keyOf, type Resource } from "../resource.ts";
import { uploadTopic } from "./messages.ts";
import { isPublic, owned, shared, type Declared } from "./parts.ts";

/** Buckets, what they tell of, and the one in which deploys keep what they know. */
export function bucketResources(declared: Declared): readonly Resource[] {
  return [stateBucket(declared), ...declared.manifest.resources.buckets.flatMap((name) => bucketOf(declared, name))];
}

const closed = { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" };

/** Of the whole project: locks, and what was deployed. */
function stateBucket({ place }: Declared): Resource {
  const spec = { labels: { "managed-by": "fw" }, iamConfiguration: closed };
  return shared("bucket", names.stateBucketName(place), "bucket of deploys", spec);
}

function bucketOf(declared: Declared, name: string): readonly Resource[] {
  const { manifest, place } = declared;
  const origin = originsOf(declared);
  const spec = {
    labels: names.labelsOf(place),
    location: place.region,
    iamConfiguration: closed,
    // What is overwritten while it is read is read to its end.
    versioning: { enabled: true },
    lifecycle: { rule: [{ action: { type: "Delete" }, condition: { daysSinceNoncurrentTime: 1 } }] },
    cors:
      origin.length === 0
        ? []
        : [
            {
              origin,
              method: ["GET", "HEAD", "PUT"],
              responseHeader: ["Content-Type", "ETag", "x-goog-content-length-range"],
              maxAgeSeconds: 3600,
            },
          ],
  };
  const bucket = owned("bucket", names.bucketName(place, name), `bucket ${name}`, spec);
  const isHeard = manifest.services.some(
    ({ receives }) => receives?.source.name === eventName("bucket.uploaded", name),
  );
  if (!isHeard) return [bucket];
  const topic = uploadTopic(declared, name);
  const told = {
    topic: `//pubsub.googleapis.com/projects/${place.project}/topics/${topic}`,
    event_types: ["OBJECT_FINALIZE"],
    payload_format: "JSON_API_V1",
  };
  return [bucket, owned("notification", `${bucket.id} ${topic}`, `uploads to ${name}`, told, [keyOf(bucket)])];
}

/** Pages of the application: what browsers may put and get signed URLs from. */
function originsOf({ manifest, place }: Declared): readonly string[] {
  const services = manifest.services.filter(isPublic);
  const domains = services.filter(({ domain }) => domain !== "").map(({ domain }) => `https://${domain}`);
  return [...services.map(({ name }) => names.serviceUrl(place, name)), ...domains].toSorted();
}
