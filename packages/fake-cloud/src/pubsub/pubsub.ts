import { nameOf, shortName, type Api, type Call, type Need } from "../api.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import { durationOf } from "../durations.ts";
import { invalid, Refusal } from "../errors.ts";
import { actAs, namedIn, onProject, type Verb } from "../methods.ts";
import { inPages } from "../pages.ts";
import { Resources } from "../resources.ts";
import type { OutgoingMessage, Publisher } from "./publisher.ts";
import { Subscription, type Message, type SubscriptionConfig } from "./subscription.ts";

interface Topic {
  readonly name: string;
}

const host = "pubsub.googleapis.com";

/** Pub/Sub: topics, and push or pull subscriptions. */
export class PubSub implements Publisher {
  readonly topics: Resources<Topic>;
  readonly subscriptions: Resources<Subscription>;
  readonly api: Api;
  readonly #cloud: ServingCloud;
  #published = 0;

  constructor(cloud: ServingCloud) {
    this.#cloud = cloud;
    const common = { on: namedIn(host), in: onProject(cloud), policies: cloud, newName: checkedName, missing, exists };
    this.topics = new Resources<Topic>({
      ...common,
      methods: "pubsub.projects.topics",
      permissions: "pubsub.topics",
      items: "topics",
      wrapped: "topic",
      make: (call, name) => ({ ...(call.body as object), name }),
      remove: ({ name }) => {
        for (const { config } of this.#subscriptionsOf(name)) config.topic = "_deleted-topic_";
      },
    });
    this.subscriptions = new Resources<Subscription>({
      ...common,
      methods: "pubsub.projects.subscriptions",
      permissions: "pubsub.subscriptions",
      items: "subscriptions",
      wrapped: "subscription",
      needs: ({ topic = "", pushConfig }: Partial<SubscriptionConfig>, verb) => [
        ...(verb === "create" ? [{ permission: "pubsub.topics.attachSubscription", resource: resourceOf(topic) }] : []),
        ...this.#actAs(pushConfig),
      ],
      make: (call, name) => {
        const defaults = { ackDeadlineSeconds: 10, messageRetentionDuration: "604800s" };
        const config = checked({ ...defaults, ...(call.body as SubscriptionConfig), name });
        this.topics.byName(config.topic);
        return new Subscription(cloud, this, config);
      },
      change: (subscription, change) => {
        Object.assign(subscription.config, checked({ ...subscription.config, ...change }));
        return subscription;
      },
      remove: (subscription) => subscription.close(),
      json,
    });
    this.api = {
      host,
      denied: () => "User not authorized to perform this action.",
      methods: { ...this.topics.methods(this.#topicVerbs()), ...this.subscriptions.methods(this.#subscriptionVerbs()) },
    };
  }

  publishAs(account: string, topic: string, message: OutgoingMessage): void {
    if (!this.#cloud.may(account, "pubsub.topics.publish", resourceOf(topic))) return;
    if (this.topics.has(topic)) this.#publish(topic, message);
  }

  /** Passes a message to every subscription of its topic, with duplicates and delays according to the faults. */
  #publish(topic: string, message: OutgoingMessage): string {
    this.#published += 1;
    const id = String(this.#cloud.clock.now() * 1000 + this.#published);
    const published: Message = { ...message, id, published: this.#cloud.clock.timestamp() };
    for (const subscription of this.#subscriptionsOf(topic)) subscription.take(published);
    return id;
  }

  #subscriptionsOf(topic: string): readonly Subscription[] {
    return [...this.subscriptions.values()].filter(({ config }) => config.topic === topic);
  }

  #topicVerbs(): Readonly<Record<string, Verb>> {
    return {
      publish: (call) => {
        const { name } = this.topics.of(call);
        const { messages = [] } = call.body as { messages?: readonly OutgoingMessage[] };
        checkMessages(messages);
        return { messageIds: messages.map((message) => this.#publish(name, message)) };
      },
      "subscriptions.list": {
        permission: "get",
        run: (call) => {
          const of = this.#subscriptionsOf(this.topics.of(call).name);
          return inPages(call, { subscriptions: of.map(({ name }) => name) });
        },
      },
    };
  }

  #subscriptionVerbs(): Readonly<Record<string, Verb>> {
    return {
      pull: {
        permission: "consume",
        run: (call) => {
          const { maxMessages = 0 } = call.body as { maxMessages?: number };
          if (maxMessages < 1) throw invalid("max_messages must be positive");
          const subscription = this.subscriptions.of(call);
          if (subscription.pushes)
            throw new Refusal("FAILED_PRECONDITION", "This method is not supported for this subscription type.");
          const receivedMessages = subscription.pull(maxMessages);
          return receivedMessages.length > 0 ? { receivedMessages } : {};
        },
      },
      acknowledge: {
        permission: "consume",
        run: (call) =>
          this.subscriptions.of(call).acknowledge((call.body as { ackIds?: readonly string[] }).ackIds ?? []),
      },
      modifyAckDeadline: {
        permission: "consume",
        run: (call) => {
          const { ackIds = [], ackDeadlineSeconds = 0 } = call.body as {
            ackIds?: readonly string[];
            ackDeadlineSeconds?: number;
          };
          if (ackDeadlineSeconds < 0 || ackDeadlineSeconds > 600)
            throw invalid("ack_deadline_seconds must be between 0 and 600");
          this.subscriptions.of(call).extend(ackIds, ackDeadlineSeconds);
        },
      },
    };
  }

  #actAs(push: SubscriptionConfig["pushConfig"]): Need[] {
    return actAs(this.#cloud, push?.oidcToken?.serviceAccountEmail);
  }
}

function resourceOf(name: string): string {
  return `//${host}/${name}`;
}

function json({ config }: Subscription): unknown {
  return {
    ...config,
    pushConfig: config.pushConfig ?? {},
    expirationPolicy: config.expirationPolicy ?? { ttl: "2678400s" },
    state: "ACTIVE",
  };
}

function checkedName(call: Call): string {
  const name = nameOf(call);
  const id = shortName(name);
  if (/^[A-Za-z][\w.~+%-]{2,254}$/.test(id) && !id.startsWith("goog")) return name;
  throw invalid(
    `Invalid resource name given (name=${name}). Refer to https://cloud.google.com/pubsub/docs/pubsub-basics#resource_names for more information.`,
  );
}

function checkMessages(messages: readonly OutgoingMessage[]): void {
  if (messages.length === 0)
    throw invalid("The value for message_count is too small. You passed 0 in the request, but the minimum value is 1.");
  if (messages.length > 1000)
    throw invalid(
      `The value for message_count is too large. You passed ${messages.length} in the request, but the maximum value is 1000.`,
    );
  for (const { data = "", attributes = {} } of messages) {
    const entries = Object.entries(attributes);
    if (data === "" && entries.length === 0) {
      throw invalid(
        "One or more messages in the publish request is empty. Each message must contain either non-empty data, or at least one attribute.",
      );
    }
    if (entries.length > 100 || entries.some(isLong))
      throw invalid("The request contains an attribute that is too long, or too many of them.");
    if (entries.some(([name]) => name === "" || name.startsWith("goog")))
      throw invalid("The request contains an attribute key that is not valid.");
    if (Buffer.byteLength(data, "base64") > 10_000_000)
      throw invalid("Request payload size exceeds the limit: 10485760 bytes.");
  }
}

function isLong([name, value]: readonly [string, string]): boolean {
  return Buffer.byteLength(name) > 256 || Buffer.byteLength(value) > 1024;
}

function checked(config: SubscriptionConfig): SubscriptionConfig {
  const { ackDeadlineSeconds, deadLetterPolicy, retryPolicy, pushConfig, filter } = config;
  if (ackDeadlineSeconds !== undefined && (ackDeadlineSeconds < 10 || ackDeadlineSeconds > 600)) {
    throw invalid(`Invalid ack deadline given (ack_deadline_secs=${ackDeadlineSeconds}).`);
  }
  if (filter) throw new Refusal("UNIMPLEMENTED", "The fake has no filters.");
  const attempts = deadLetterPolicy?.maxDeliveryAttempts;
  if (attempts !== undefined && (attempts < 5 || attempts > 100)) {
    throw new Refusal(
      "OUT_OF_RANGE",
      `Invalid value for max_delivery_attempts: ${attempts}. It must be between 5 and 100.`,
    );
  }
  for (const backoff of [retryPolicy?.minimumBackoff, retryPolicy?.maximumBackoff]) {
    const milliseconds = durationOf(backoff) ?? 0;
    if (milliseconds < 0 || milliseconds > 600_000)
      throw invalid("The retry policy's backoff must be between 0 and 600 seconds.");
  }
  const endpoint = pushConfig?.pushEndpoint;
  if (endpoint && !/^https?:\/\//.test(endpoint)) throw invalid(`Invalid push endpoint given (endpoint=${endpoint}).`);
  return config;
}

function missing(name: string): Refusal {
  return new Refusal("NOT_FOUND", `Resource not found (resource=${shortName(name)}).`);
}

function exists(name: string): Refusal {
  return new Refusal("ALREADY_EXISTS", `Resource already exists in the project (resource=${shortName(name)}).`);
}
