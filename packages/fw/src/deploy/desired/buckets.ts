import { eventName } from "../../lib/events.ts";
import * as names from "../../platform/gcp/names.ts";
import { keyOf, type Resource } from "../resource.ts";
import { uploadTopic } from "./messages.ts";
import { isPublic, ownedResource, sharedResource, type ResourceInputs } from "./resource-inputs.ts";

/** Returns the buckets, their upload notifications, and the bucket that stores the state of deploys. */
export function bucketResources(inputs: ResourceInputs): readonly Resource[] {
  return [stateBucket(inputs), ...inputs.manifest.resources.buckets.flatMap((name) => bucketOf(inputs, name))];
}

const privateAccess = { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" };

/** Returns the bucket for the locks and records of deploys, which all applications of the project share. */
function stateBucket({ place }: ResourceInputs): Resource {
  const spec = { labels: { "managed-by": "fw" }, iamConfiguration: privateAccess };
  return sharedResource("bucket", names.stateBucketName(place), "bucket for deploys", spec);
}

function bucketOf(inputs: ResourceInputs, name: string): readonly Resource[] {
  const { manifest, place } = inputs;
  const origin = originsOf(inputs);
  const spec = {
    labels: names.labelsOf(place),
    location: place.region,
    iamConfiguration: privateAccess,
    // Old versions live for a day, so that readers of an overwritten object can finish.
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
  const bucket = ownedResource("bucket", names.bucketName(place, name), `bucket ${name}`, spec);
  const hasSubscriber = manifest.services.some(
    ({ receives }) => receives?.source.name === eventName("bucket.uploaded", name),
  );
  if (!hasSubscriber) return [bucket];
  const topic = uploadTopic(inputs, name);
  const notification = {
    topic: `//pubsub.googleapis.com/projects/${place.project}/topics/${topic}`,
    event_types: ["OBJECT_FINALIZE"],
    payload_format: "JSON_API_V1",
  };
  return [
    bucket,
    ownedResource("notification", `${bucket.id} ${topic}`, `uploads to ${name}`, notification, [keyOf(bucket)]),
  ];
}

/** Returns the origins of the application's pages, which may use signed URLs. */
function originsOf({ manifest, place }: ResourceInputs): readonly string[] {
  const services = manifest.services.filter(isPublic);
  const domains = services.filter(({ domain }) => domain !== "").map(({ domain }) => `https://${domain}`);
  return [...services.map(({ name }) => names.serviceUrl(place, name)), ...domains].toSorted();
}
