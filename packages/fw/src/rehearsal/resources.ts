import type { ManifestConsumer, ManifestService } from "../build/manifest.ts";
import { partsOfEvent } from "../lib/events.ts";
import * as names from "../platform/gcp/names.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import { accountResource, type Deployed } from "./deployed.ts";

/** Makes what the services of an application find in their cloud, as a deployment does. */
export async function makeResources(deployed: Deployed, client: CloudClient): Promise<void> {
  const { manifest, place } = deployed;
  const ask: Ask = (api, method, path, body) => client.call({ api, method, path, body });
  for (const topic of topicsOf(deployed))
    await ask("pubsub", "PUT", `/v1/projects/${place.project}/topics/${topic}`, {});
  for (const bucket of manifest.resources.buckets) await makeBucket(deployed, ask, bucket);
  for (const service of manifest.services) {
    for (const cron of service.crons) await makeSchedule(deployed, ask, service, cron);
    const { receives } = service;
    if (!receives || receives.source.kind === "job") continue;
    await makeHold(deployed, ask, service);
    if (receives.source.kind === "queue") await makeQueue(deployed, ask, service, receives);
    else
      for (const topic of sourcesOf(deployed, receives.source))
        await subscribe(deployed, ask, service, receives, topic);
  }
}

type Ask = (
  api: Parameters<CloudClient["call"]>[0]["api"],
  method: "POST" | "PUT",
  path: string,
  body: unknown,
) => Promise<void>;

/** Every topic of an application: its own, those of events that somebody tells or hears of, and those of dead letters. */
function topicsOf({ manifest, place }: Deployed): ReadonlySet<string> {
  const consumers = manifest.services.filter(({ receives }) => receives && receives.source.kind !== "job");
  const told = manifest.services.flatMap(({ framework }) => framework.filter(({ kind }) => kind === "event"));
  const heard = consumers.flatMap(({ receives }) => (receives?.source.kind === "event" ? [receives.source] : []));
  const events = [...told, ...heard].filter(({ name }) => !isDead(name));
  return new Set([
    ...manifest.resources.topics.map((name) => names.topicName(place, { kind: "topic", name })),
    ...events.map(({ name }) => names.topicName(place, { kind: "event", name })),
    ...consumers.map(({ name }) => names.deadTopicName(place, name)),
  ]);
}

function isDead(event: string): boolean {
  return partsOfEvent(event).kind.startsWith("dead.");
}

/** The topics that a consumer listens to: of dead letters those of everybody who can fail at them. */
function sourcesOf({ manifest, place }: Deployed, source: ManifestConsumer["source"]): readonly string[] {
  const { kind, about } = partsOfEvent(source.kind === "event" ? source.name : "");
  if (source.kind !== "event" || !kind.startsWith("dead.")) return [names.topicName(place, source)];
  const failing = manifest.services.filter(
    ({ receives }) => `dead.${receives?.source.kind}` === kind && receives?.source.name === about,
  );
  return failing.map(({ name }) => names.deadTopicName(place, name));
}

async function makeBucket({ cloud, manifest, place }: Deployed, ask: Ask, bucket: string): Promise<void> {
  const name = names.bucketName(place, bucket);
  await ask("storage", "POST", `/storage/v1/b?project=${place.project}`, {
    name,
    location: place.region,
    iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" },
    versioning: { enabled: true },
    cors: [
      {
        origin: ["*"],
        method: ["GET", "HEAD", "PUT"],
        responseHeader: ["Content-Type", "ETag", "x-goog-content-length-range"],
        maxAgeSeconds: 3600,
      },
    ],
  });
  const event = `bucket.uploaded:${bucket}`;
  if (!manifest.services.some(({ receives }) => receives?.source.name === event)) return;
  const topic = `//pubsub.googleapis.com/projects/${place.project}/topics/${names.topicName(place, { kind: "event", name: event })}`;
  cloud.grant(`serviceAccount:${cloud.cloud.agent("gs-project-accounts")}`, "roles/pubsub.publisher", topic);
  await ask("storage", "POST", `/storage/v1/b/${name}/notificationConfigs`, {
    topic,
    event_types: ["OBJECT_FINALIZE"],
    payload_format: "JSON_API_V1",
  });
}

async function makeHold({ place }: Deployed, ask: Ask, { name }: ManifestService): Promise<void> {
  await ask("pubsub", "PUT", `/v1/projects/${place.project}/subscriptions/${names.deadHoldName(place, name)}`, {
    topic: `projects/${place.project}/topics/${names.deadTopicName(place, name)}`,
    ackDeadlineSeconds: 60,
    messageRetentionDuration: "2678400s",
    expirationPolicy: {},
  });
}

async function makeQueue(
  { place }: Deployed,
  ask: Ask,
  { name }: ManifestService,
  { source, delivery }: ManifestConsumer,
): Promise<void> {
  const audience = names.serviceUrl(place, name);
  const parent = `projects/${place.project}/locations/${place.region}`;
  await ask("cloudtasks", "POST", `/v2/${parent}/queues`, {
    name: `${parent}/queues/${names.queueName(place, source.name)}`,
    ...(delivery.rateLimit !== undefined && { rateLimits: { maxDispatchesPerSecond: delivery.rateLimit } }),
    // The service counts, and keeps what failed for the last time.
    retryConfig: {
      maxAttempts: -1,
      minBackoff: seconds(delivery.minBackoff),
      maxBackoff: seconds(delivery.maxBackoff),
      maxDoublings: 16,
    },
    httpTarget: {
      uriOverride: {
        scheme: "HTTPS",
        host: new URL(audience).host,
        pathOverride: { path: "/_fw/api/push" },
        uriOverrideEnforceMode: "ALWAYS",
      },
      httpMethod: "POST",
      oidcToken: { serviceAccountEmail: names.pusherEmail(place, name), audience },
    },
  });
}

async function subscribe(
  { cloud, place }: Deployed,
  ask: Ask,
  { name }: ManifestService,
  { delivery }: ManifestConsumer,
  topic: string,
): Promise<void> {
  const audience = names.serviceUrl(place, name);
  const subscription = names.subscriptionName(topic, name);
  const pubsub = `//pubsub.googleapis.com/projects/${place.project}`;
  const agent = `serviceAccount:${cloud.cloud.agent("gcp-sa-pubsub")}`;
  cloud.grant(
    agent,
    "roles/iam.serviceAccountOpenIdTokenCreator",
    accountResource(place, names.pusherEmail(place, name)),
  );
  cloud.grant(agent, "roles/pubsub.subscriber", `${pubsub}/subscriptions/${subscription}`);
  cloud.grant(agent, "roles/pubsub.publisher", `${pubsub}/topics/${names.deadTopicName(place, name)}`);
  await ask("pubsub", "PUT", `/v1/projects/${place.project}/subscriptions/${subscription}`, {
    topic: `projects/${place.project}/topics/${topic}`,
    ackDeadlineSeconds: 600,
    pushConfig: {
      pushEndpoint: `${audience}/_fw/api/push`,
      oidcToken: { serviceAccountEmail: names.pusherEmail(place, name), audience },
    },
    deadLetterPolicy: {
      deadLetterTopic: `projects/${place.project}/topics/${names.deadTopicName(place, name)}`,
      maxDeliveryAttempts: delivery.maxAttempts,
    },
    retryPolicy: { minimumBackoff: seconds(delivery.minBackoff), maximumBackoff: seconds(delivery.maxBackoff) },
    expirationPolicy: {},
  });
}

async function makeSchedule(
  { place }: Deployed,
  ask: Ask,
  { name }: ManifestService,
  cron: ManifestService["crons"][number],
): Promise<void> {
  const audience = names.serviceUrl(place, name);
  const parent = `projects/${place.project}/locations/${place.region}`;
  await ask("cloudscheduler", "POST", `/v1/${parent}/jobs`, {
    name: `${parent}/jobs/${names.scheduleName(place, name, cron.name)}`,
    schedule: cron.schedule,
    timeZone: cron.timezone,
    attemptDeadline: seconds(cron.deadline),
    httpTarget: {
      uri: `${audience}/_fw/api/cron/${cron.name}`,
      httpMethod: "POST",
      oidcToken: { serviceAccountEmail: names.pusherEmail(place, name), audience },
    },
  });
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
