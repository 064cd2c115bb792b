import { partsOfEvent } from "../../../lib/events.ts";
import type { Consumer } from "../../messages.ts";
import * as names from "../names.ts";
import type { OnFake } from "./fake.ts";

/**
 * Creates the resources for delivery, as a deployment does. Each consumer gets a service, a dead-letter topic with a
 * subscription, and either a queue or subscriptions to its topics.
 */
export async function deployDelivery(
  on: OnFake,
  consumers: readonly Consumer[],
  urlOf: (id: string) => string,
): Promise<void> {
  for (const consumer of consumers) {
    await deployService(on, consumer, urlOf(consumer.id));
    await makeTopic(on, names.deadTopicName(on.place, consumer.id));
    await makeHold(on, consumer);
  }
  for (const consumer of consumers) {
    if (consumer.destination.kind === "queue") await makeQueue(on, consumer);
    else for (const topic of await topicsOf(on, consumer, consumers)) await subscribe(on, consumer, topic);
  }
}

/** Creates a topic unless it exists, and lets the service, Pub/Sub and Cloud Storage publish to it. */
export async function makeTopic({ deploy, place, fake, account }: OnFake, topic: string): Promise<void> {
  await deploy("pubsub", "PUT", `/v1/projects/${place.project}/topics/${topic}`, {}).catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.includes("ALREADY_EXISTS")) throw error;
  });
  for (const member of [account, fake.cloud.agent("gcp-sa-pubsub"), fake.cloud.agent("gs-project-accounts")])
    fake.grant(`serviceAccount:${member}`, "roles/pubsub.publisher", topicResource(place, topic));
}

/** Registers a consumer's service and the account that delivers its messages. */
async function deployService({ fake, place, account }: OnFake, { id }: Consumer, url: string): Promise<void> {
  const name = names.serviceName(place, id);
  fake.run({ name, serviceAccount: account, url, public: false });
  const pusher = names.pusherEmail(place, id);
  fake.grant(`serviceAccount:${pusher}`, "roles/run.invoker", fake.cloud.services.resource(name));
  fake.grant(
    `serviceAccount:${fake.cloud.agent("gcp-sa-pubsub")}`,
    "roles/iam.serviceAccountOpenIdTokenCreator",
    `//iam.googleapis.com/projects/${place.project}/serviceAccounts/${pusher}`,
  );
}

async function makeHold({ deploy, place, fake, account }: OnFake, { id }: Consumer): Promise<void> {
  const name = names.deadHoldName(place, id);
  await deploy("pubsub", "PUT", `/v1/projects/${place.project}/subscriptions/${name}`, {
    topic: `projects/${place.project}/topics/${names.deadTopicName(place, id)}`,
    ackDeadlineSeconds: 60,
    messageRetentionDuration: "2678400s",
    expirationPolicy: {},
  });
  fake.grant(`serviceAccount:${account}`, "roles/pubsub.subscriber", subscriptionResource(place, name));
}

async function makeQueue(
  { deploy, place, fake, account }: OnFake,
  { id, destination, delivery }: Consumer,
): Promise<void> {
  const audience = names.serviceUrl(place, id);
  const parent = `projects/${place.project}/locations/${place.region}`;
  const name = `${parent}/queues/${names.queueName(place, destination.name)}`;
  await deploy("cloudtasks", "POST", `/v2/${parent}/queues`, {
    name,
    rateLimits: {
      maxConcurrentDispatches: delivery.concurrency,
      ...(delivery.rateLimit !== undefined && { maxDispatchesPerSecond: delivery.rateLimit }),
    },
    // The service itself counts attempts and stores messages whose last attempt failed.
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
      oidcToken: { serviceAccountEmail: names.pusherEmail(place, id), audience },
    },
  });
  fake.grant(`serviceAccount:${account}`, "roles/cloudtasks.enqueuer", `//cloudtasks.googleapis.com/${name}`);
}

/**
 * Returns the topics of a consumer's destination and creates missing ones. For dead letters, these are the existing
 * dead-letter topics of the failing consumers.
 */
async function topicsOf(
  on: OnFake,
  { destination }: Consumer,
  consumers: readonly Consumer[],
): Promise<readonly string[]> {
  const { kind, about } = partsOfEvent(destination.kind === "event" ? destination.name : "");
  if (kind === "dead.queue" || kind === "dead.topic") {
    const failing = consumers.filter(({ destination: of }) => `dead.${of.kind}` === kind && of.name === about);
    return failing.map(({ id }) => names.deadTopicName(on.place, id));
  }
  const topic = names.topicName(on.place, destination);
  await makeTopic(on, topic);
  if (kind === "bucket.uploaded") await notify(on, about, topic);
  return [topic];
}

async function notify({ deploy, place }: OnFake, bucket: string, topic: string): Promise<void> {
  await deploy("storage", "POST", `/storage/v1/b/${names.bucketName(place, bucket)}/notificationConfigs`, {
    topic: topicResource(place, topic),
    event_types: ["OBJECT_FINALIZE"],
    payload_format: "JSON_API_V1",
  });
}

async function subscribe({ deploy, place, fake }: OnFake, { id, delivery }: Consumer, topic: string): Promise<void> {
  const audience = names.serviceUrl(place, id);
  const name = names.subscriptionName(topic, id);
  await deploy("pubsub", "PUT", `/v1/projects/${place.project}/subscriptions/${name}`, {
    topic: `projects/${place.project}/topics/${topic}`,
    ackDeadlineSeconds: 600,
    pushConfig: {
      pushEndpoint: `${audience}/_fw/api/push`,
      oidcToken: { serviceAccountEmail: names.pusherEmail(place, id), audience },
    },
    // For messages that the service itself could not store.
    deadLetterPolicy: {
      deadLetterTopic: `projects/${place.project}/topics/${names.deadTopicName(place, id)}`,
      maxDeliveryAttempts: delivery.maxAttempts,
    },
    retryPolicy: { minimumBackoff: seconds(delivery.minBackoff), maximumBackoff: seconds(delivery.maxBackoff) },
    expirationPolicy: {},
  });
  const agent = fake.cloud.agent("gcp-sa-pubsub");
  fake.grant(`serviceAccount:${agent}`, "roles/pubsub.subscriber", subscriptionResource(place, name));
}

function topicResource({ project }: OnFake["place"], topic: string): string {
  return `//pubsub.googleapis.com/projects/${project}/topics/${topic}`;
}

function subscriptionResource({ project }: OnFake["place"], subscription: string): string {
  return `//pubsub.googleapis.com/projects/${project}/subscriptions/${subscription}`;
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
