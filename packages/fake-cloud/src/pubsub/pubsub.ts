import type { Api, Call, Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { durationOf } from "../durations.ts";
import { invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { actAs, methodsOf, namedIn, nameOf, onProject, shortName, type ResourceKind } from "../methods.ts";
import { inPages } from "../pages.ts";
import type { OutgoingMessage, Publisher } from "./publisher.ts";
import { Subscription, type Message, type SubscriptionConfig } from "./subscription.ts";

interface Topic {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const host = "pubsub.googleapis.com";

/** Pub/Sub: topics, and subscriptions that push or are pulled. */
export class PubSub implements Publisher {
  readonly topics: Map<string, Topic> = new Map();
  readonly subscriptions: Map<string, Subscription> = new Map();
  readonly api: Api;
  readonly #cloud: Cloud;
  #published = 0;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.api = {
      host,
      denied: () => "User not authorized to perform this action.",
      methods: { ...this.#topicMethods(), ...this.#subscriptionMethods() },
    };
  }

  publishAs(account: string, topic: string, message: OutgoingMessage): void {
    if (!this.#cloud.may(account, "pubsub.topics.publish", resourceOf(topic))) return;
    if (this.topics.has(topic)) this.#publish(topic, message);
  }

  /** Hands a message to every subscription of its topic: some twice, some late, where that is wanted. */
  #publish(topic: string, message: OutgoingMessage): string {
    this.#published += 1;
    const id = String(this.#cloud.clock.now() * 1000 + this.#published);
    const published: Message = { ...message, id, published: this.#cloud.clock.timestamp() };
    for (const subscription of this.subscriptions.values()) {
      if (subscription.config.topic === topic) subscription.take(published);
    }
    return id;
  }

  #topicMethods(): Api["methods"] {
    const kind: ResourceKind = { methods: "pubsub.projects.topics", permissions: "pubsub.topics", on: namedIn(host) };
    const inProject = onProject(this.#cloud);
    return {
      ...methodsOf(kind, {
        create: {
          on: inProject,
          run: (call) => {
            const name = nameOf(call);
            checkName(name);
            if (this.topics.has(name)) throw exists(name);
            const topic = { ...(call.body as Topic), name };
            this.topics.set(name, topic);
            return topic;
          },
        },
        get: (call) => this.#topic(nameOf(call)),
        list: { on: inProject, run: (call) => inPages(call, { topics: [...this.topics.values()] }) },
        patch: (call) => {
          const { topic = {}, updateMask = "" } = call.body as { topic?: Partial<Topic>; updateMask?: string };
          const changed = { ...this.#topic(nameOf(call)), ...masked(topic, updateMask) };
          this.topics.set(changed.name, changed);
          return changed;
        },
        delete: (call) => {
          const { name } = this.#topic(nameOf(call));
          this.topics.delete(name);
          for (const { config } of this.subscriptions.values())
            if (config.topic === name) config.topic = "_deleted-topic_";
        },
        publish: (call) => {
          const { name } = this.#topic(nameOf(call));
          const { messages = [] } = call.body as { messages?: readonly OutgoingMessage[] };
          checkMessages(messages);
          return { messageIds: messages.map((message) => this.#publish(name, message)) };
        },
        "subscriptions.list": {
          permission: "get",
          run: (call) => {
            const { name } = this.#topic(nameOf(call));
            const of = [...this.subscriptions.values()].filter(({ config }) => config.topic === name);
            return inPages(call, { subscriptions: of.map((subscription) => subscription.name) });
          },
        },
      }),
      ...policyMethods(this.#cloud, kind),
    };
  }

  #subscriptionMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "pubsub.projects.subscriptions",
      permissions: "pubsub.subscriptions",
      on: namedIn(host),
    };
    const inProject = onProject(this.#cloud);
    return {
      ...methodsOf(kind, {
        create: {
          on: inProject,
          needs: (call) => {
            const { topic = "", pushConfig } = call.body as Partial<SubscriptionConfig>;
            return [
              { permission: "pubsub.topics.attachSubscription", resource: resourceOf(topic) },
              ...this.#actAs(pushConfig),
            ];
          },
          run: (call) => {
            const name = nameOf(call);
            checkName(name);
            if (this.subscriptions.has(name)) throw exists(name);
            const config = {
              ackDeadlineSeconds: 10,
              messageRetentionDuration: "604800s",
              ...(call.body as SubscriptionConfig),
              name,
            };
            checkConfig(config);
            this.#topic(config.topic);
            const subscription = new Subscription(this.#cloud, this, config);
            this.subscriptions.set(name, subscription);
            return json(subscription);
          },
        },
        get: (call) => json(this.#subscription(call)),
        list: {
          on: inProject,
          run: (call) => inPages(call, { subscriptions: [...this.subscriptions.values()].map(json) }),
        },
        patch: {
          needs: (call) => {
            const { subscription } = call.body as { subscription?: SubscriptionConfig };
            return this.#actAs(subscription?.pushConfig);
          },
          run: (call) => {
            const { subscription = {}, updateMask = "" } = call.body as { subscription?: object; updateMask?: string };
            const found = this.#subscription(call);
            const changed = { ...found.config, ...masked(subscription, updateMask) };
            checkConfig(changed);
            Object.assign(found.config, changed);
            return json(found);
          },
        },
        modifyPushConfig: {
          permission: "update",
          needs: (call) => this.#actAs((call.body as SubscriptionConfig).pushConfig),
          run: (call) => {
            this.#subscription(call).config.pushConfig = (call.body as SubscriptionConfig).pushConfig ?? {};
          },
        },
        delete: (call) => {
          const subscription = this.#subscription(call);
          subscription.close();
          this.subscriptions.delete(subscription.name);
        },
        pull: {
          permission: "consume",
          run: (call) => {
            const { maxMessages = 0 } = call.body as { maxMessages?: number };
            if (maxMessages < 1) throw invalid("max_messages must be positive");
            const subscription = this.#subscription(call);
            if (subscription.pushes)
              throw new Refusal("FAILED_PRECONDITION", "This method is not supported for this subscription type.");
            const receivedMessages = subscription.pull(maxMessages);
            return receivedMessages.length > 0 ? { receivedMessages } : {};
          },
        },
        acknowledge: {
          permission: "consume",
          run: (call) =>
            this.#subscription(call).acknowledge((call.body as { ackIds?: readonly string[] }).ackIds ?? []),
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
            this.#subscription(call).extend(ackIds, ackDeadlineSeconds);
          },
        },
      }),
      ...policyMethods(this.#cloud, kind),
    };
  }

  #topic(name: string): Topic {
    const topic = this.topics.get(name);
    if (!topic) throw missing(name);
    return topic;
  }

  #subscription(call: Call): Subscription {
    const subscription = this.subscriptions.get(nameOf(call));
    if (!subscription) throw missing(nameOf(call));
    return subscription;
  }

  #actAs(push: SubscriptionConfig["pushConfig"]): Needed[] {
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

function checkName(name: string): void {
  const id = shortName(name);
  if (/^[A-Za-z][\w.~+%-]{2,254}$/.test(id) && !id.startsWith("goog")) return;
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

function checkConfig({
  ackDeadlineSeconds,
  deadLetterPolicy,
  retryPolicy,
  pushConfig,
  filter,
}: SubscriptionConfig): void {
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
}

function missing(name: string): Refusal {
  return new Refusal("NOT_FOUND", `Resource not found (resource=${shortName(name)}).`);
}

function exists(name: string): Refusal {
  return new Refusal("ALREADY_EXISTS", `Resource already exists in the project (resource=${shortName(name)}).`);
}
