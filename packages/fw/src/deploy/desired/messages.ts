import type { ManifestConsumer, ManifestService } from "../../build/manifest.ts";
import { eventName, partsOfEvent } from "../../lib/events.ts";
import * as names from "../../platform/gcp/names.ts";
import { keyOf, type Resource } from "../resource.ts";
import {
  inPackage,
  isDeliveredTo,
  isService,
  owned,
  pusherOf,
  regionOf,
  seconds,
  serviceId,
  topicId,
  type Declared,
} from "./parts.ts";

/** How long dead letters are held: as long as Pub/Sub does at most. */
const heldMs = 31 * 86_400_000;

/** The defaults of Cloud Tasks: cloud.google.com/tasks/docs/reference/rest/v2/projects.locations.queues#RateLimits. */
const mostPerSecond = 500;
const maxConcurrentDispatches = 1000;

/** Topics, queues, subscriptions, and what triggers crons. */
export function messageResources(declared: Declared): readonly Resource[] {
  const { services } = declared.manifest;
  return [
    ...topics(declared),
    ...services.flatMap((service) =>
      inPackage(service, [...received(declared, service), ...schedules(declared, service)]),
    ),
  ];
}

/** Every topic: the application's, those of events that somebody tells or hears of, and those of dead letters. */
function topics({ manifest, place }: Declared): readonly Resource[] {
  const labels = names.labelsOf(place);
  const topic = (name: string, title: string): Resource => owned("topic", topicId(place, name), title, { labels });
  const told = manifest.services.flatMap(({ framework }) => framework.filter(({ kind }) => kind === "event"));
  const heard = manifest.services.flatMap(({ receives }) =>
    receives?.source.kind === "event" ? [receives.source] : [],
  );
  const events = new Set([...told, ...heard].map(({ name }) => name).filter((name) => !isDead(name)));
  const failing = manifest.services.filter((service) => isService(service) && service.receives !== undefined);
  return [
    ...manifest.resources.topics.map((name) => topic(names.topicName(place, { kind: "topic", name }), `topic ${name}`)),
    ...[...events].map((name) => topic(names.topicName(place, { kind: "event", name }), `event ${name}`)),
    ...failing.flatMap((service) =>
      inPackage(service, [topic(names.deadTopicName(place, service.name), `dead letters of ${service.name}`)]),
    ),
  ];
}

function isDead(event: string): boolean {
  return partsOfEvent(event).kind.startsWith("dead.");
}

/** What brings a worker or subscriber its messages, and holds those that it fails at. */
function received(declared: Declared, service: ManifestService): readonly Resource[] {
  const { receives } = service;
  if (!receives || !isService(service)) return [];
  const hold = holdOf(declared, service);
  if (receives.source.kind === "queue") return [hold, queueOf(declared, service, receives)];
  return [
    hold,
    ...sourcesOf(declared, receives.source).map((topic) => pushOf(declared, service, receives, topic, hold)),
  ];
}

function holdOf({ place }: Declared, { name }: ManifestService): Resource {
  const topic = topicId(place, names.deadTopicName(place, name));
  const spec = {
    labels: names.labelsOf(place),
    topic,
    ackDeadlineSeconds: 60,
    messageRetentionDuration: seconds(heldMs),
    expirationPolicy: {},
  };
  const id = `projects/${place.project}/subscriptions/${names.deadHoldName(place, name)}`;
  return owned("subscription", id, `what holds dead letters of ${name}`, spec, [keyOf({ kind: "topic", id: topic })]);
}

/** The topics that a consumer listens to: of dead letters those of everybody who can fail at them. */
export function sourcesOf({ manifest, place }: Declared, source: ManifestConsumer["source"]): readonly string[] {
  const { kind, about } = partsOfEvent(source.kind === "event" ? source.name : "");
  if (source.kind !== "event" || !isDead(source.name)) return [names.topicName(place, source)];
  return manifest.services
    .filter(({ receives }) => receives?.source.name === about && `dead.${receives.source.kind}` === kind)
    .map(({ name }) => names.deadTopicName(place, name));
}

/** The application's queue pushes to its one worker with a token of its own: senders need not act as an account. */
function queueOf(declared: Declared, service: ManifestService, { source, delivery }: ManifestConsumer): Resource {
  const { place } = declared;
  const audience = names.serviceUrl(place, service.name);
  const pusher = pusherOf(declared, service);
  const spec = {
    state: "RUNNING",
    rateLimits: { maxDispatchesPerSecond: delivery.rateLimit ?? mostPerSecond, maxConcurrentDispatches },
    // The service counts attempts, and keeps what has failed for the last time.
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
      oidcToken: { serviceAccountEmail: pusher.email, audience },
    },
  };
  const id = `${regionOf(place)}/queues/${names.queueName(place, source.name)}`;
  return owned("queue", id, `queue ${source.name}`, spec, [pusher.key]);
}

function pushOf(
  declared: Declared,
  service: ManifestService,
  { delivery }: ManifestConsumer,
  topic: string,
  hold: Resource,
): Resource {
  const { place } = declared;
  const audience = names.serviceUrl(place, service.name);
  const { email } = pusherOf(declared, service);
  const spec = {
    labels: names.labelsOf(place),
    topic: topicId(place, topic),
    // Of a push, it is how long an answer may take.
    ackDeadlineSeconds: 600,
    pushConfig: { pushEndpoint: `${audience}/_fw/api/push`, oidcToken: { serviceAccountEmail: email, audience } },
    deadLetterPolicy: {
      deadLetterTopic: topicId(place, names.deadTopicName(place, service.name)),
      maxDeliveryAttempts: delivery.maxAttempts,
    },
    retryPolicy: { minimumBackoff: seconds(delivery.minBackoff), maximumBackoff: seconds(delivery.maxBackoff) },
    expirationPolicy: {},
  };
  const id = `projects/${place.project}/subscriptions/${names.subscriptionName(topic, service.name)}`;
  const invoker = keyOf({ kind: "grants", id: `//run.googleapis.com/${serviceId(place, service.name)}` });
  return owned("subscription", id, `subscription of ${service.name} to ${topic}`, spec, [keyOf(hold), invoker]);
}

function schedules(declared: Declared, service: ManifestService): readonly Resource[] {
  const { place } = declared;
  if (!isDeliveredTo(service)) return [];
  const audience = names.serviceUrl(place, service.name);
  const { email } = pusherOf(declared, service);
  return service.crons.map((cron) => {
    const spec = {
      description: names.markOf(place),
      state: "ENABLED",
      schedule: cron.schedule,
      timeZone: cron.timezone,
      attemptDeadline: seconds(cron.deadline),
      httpTarget: {
        uri: `${audience}/_fw/api/cron/${cron.name}`,
        httpMethod: "POST",
        oidcToken: { serviceAccountEmail: email, audience },
      },
    };
    const id = `${regionOf(place)}/jobs/${names.scheduleName(place, service.name, cron.name)}`;
    return owned("schedule", id, `cron ${cron.name} of ${service.name}`, spec);
  });
}

/** The topic of what is written to a bucket. */
export function uploadTopic({ place }: Declared, bucket: string): string {
  return names.topicName(place, { kind: "event", name: eventName("bucket.uploaded", bucket) });
}
