import type { ManifestConsumer, ManifestService } from "../../build/manifest.ts";
import { eventName, partsOfEvent } from "../../lib/events.ts";
import * as names from "../../platform/gcp/names.ts";
import { keyOf, type Resource } from "../resource.ts";
import {
  inPackage,
  isDeliveredTo,
  isService,
  ownedResource,
  pusherOf,
  regionOf,
  seconds,
  serviceId,
  topicId,
  type ResourceInputs,
} from "./resource-inputs.ts";

/** The retention of dead letters: Pub/Sub's maximum. */
const retentionMs = 31 * 86_400_000;

/** The defaults of Cloud Tasks: cloud.google.com/tasks/docs/reference/rest/v2/projects.locations.queues#RateLimits. */
const maxPerSecond = 500;
const maxConcurrentDispatches = 1000;

/** Returns the topics, queues, subscriptions and cron triggers. */
export function messageResources(inputs: ResourceInputs): readonly Resource[] {
  const { services } = inputs.manifest;
  return [
    ...topics(inputs),
    ...services.flatMap((service) =>
      inPackage(service, [...deliveryResources(inputs, service), ...schedules(inputs, service)]),
    ),
  ];
}

/** Returns all topics: declared topics, and topics for events and dead letters. */
function topics({ manifest, place }: ResourceInputs): readonly Resource[] {
  const labels = names.labelsOf(place);
  const topic = (name: string, title: string): Resource =>
    ownedResource("topic", topicId(place, name), title, { labels });
  const publishedEvents = manifest.services.flatMap(({ framework }) =>
    framework.filter(({ kind }) => kind === "event"),
  );
  const subscribedEvents = manifest.services.flatMap(({ receives }) =>
    receives?.source.kind === "event" ? [receives.source] : [],
  );
  const events = new Set(
    [...publishedEvents, ...subscribedEvents].map(({ name }) => name).filter((name) => !isDead(name)),
  );
  const failing = manifest.services.filter((service) => isService(service) && service.receives !== undefined);
  return [
    ...manifest.resources.topics.map((name) => topic(names.topicName(place, { kind: "topic", name }), `topic ${name}`)),
    ...[...events].map((name) => topic(names.topicName(place, { kind: "event", name }), `event ${name}`)),
    ...failing.flatMap((service) =>
      inPackage(service, [
        topic(names.deadTopicName(place, service.name), `topic for dead messages of ${service.name}`),
      ]),
    ),
  ];
}

function isDead(event: string): boolean {
  return partsOfEvent(event).kind.startsWith("dead.");
}

/** Returns the resources that deliver messages to a worker or subscriber, and retain its dead letters. */
function deliveryResources(inputs: ResourceInputs, service: ManifestService): readonly Resource[] {
  const { receives } = service;
  if (!receives || !isService(service)) return [];
  const hold = holdOf(inputs, service);
  if (receives.source.kind === "queue") return [hold, queueOf(inputs, service, receives)];
  return [hold, ...sourcesOf(inputs, receives.source).map((topic) => pushOf(inputs, service, receives, topic, hold))];
}

function holdOf({ place }: ResourceInputs, { name }: ManifestService): Resource {
  const topic = topicId(place, names.deadTopicName(place, name));
  const spec = {
    labels: names.labelsOf(place),
    topic,
    ackDeadlineSeconds: 60,
    messageRetentionDuration: seconds(retentionMs),
    expirationPolicy: {},
  };
  const id = `projects/${place.project}/subscriptions/${names.deadHoldName(place, name)}`;
  return ownedResource("subscription", id, `subscription for dead messages of ${name}`, spec, [
    keyOf({ kind: "topic", id: topic }),
  ]);
}

/**
 * Returns the topics that a consumer subscribes to; for dead letters, one topic for each consumer of the failing
 * source.
 */
export function sourcesOf({ manifest, place }: ResourceInputs, source: ManifestConsumer["source"]): readonly string[] {
  const { kind, about } = partsOfEvent(source.kind === "event" ? source.name : "");
  if (source.kind !== "event" || !isDead(source.name)) return [names.topicName(place, source)];
  return manifest.services
    .filter(({ receives }) => receives?.source.name === about && `dead.${receives.source.kind}` === kind)
    .map(({ name }) => names.deadTopicName(place, name));
}

/** Returns a queue that authenticates its pushes itself, so that senders need not impersonate an account. */
function queueOf(inputs: ResourceInputs, service: ManifestService, { source, delivery }: ManifestConsumer): Resource {
  const { place } = inputs;
  const audience = names.serviceUrl(place, service.name);
  const pusher = pusherOf(inputs, service);
  const spec = {
    state: "RUNNING",
    rateLimits: { maxDispatchesPerSecond: delivery.rateLimit ?? maxPerSecond, maxConcurrentDispatches },
    // Unlimited, because the service counts attempts and dead-letters the last one itself.
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
  return ownedResource("queue", id, `queue ${source.name}`, spec, [pusher.key]);
}

function pushOf(
  inputs: ResourceInputs,
  service: ManifestService,
  { delivery }: ManifestConsumer,
  topic: string,
  hold: Resource,
): Resource {
  const { place } = inputs;
  const audience = names.serviceUrl(place, service.name);
  const { email } = pusherOf(inputs, service);
  const spec = {
    labels: names.labelsOf(place),
    topic: topicId(place, topic),
    // The response time limit of a push subscription.
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
  return ownedResource("subscription", id, `subscription of ${service.name} to ${topic}`, spec, [keyOf(hold), invoker]);
}

function schedules(inputs: ResourceInputs, service: ManifestService): readonly Resource[] {
  const { place } = inputs;
  if (!isDeliveredTo(service)) return [];
  const audience = names.serviceUrl(place, service.name);
  const { email } = pusherOf(inputs, service);
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
    return ownedResource("schedule", id, `cron ${cron.name} of ${service.name}`, spec);
  });
}

export function uploadTopic({ place }: ResourceInputs, bucket: string): string {
  return names.topicName(place, { kind: "event", name: eventName("bucket.uploaded", bucket) });
}
