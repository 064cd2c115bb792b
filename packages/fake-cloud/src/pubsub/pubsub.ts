import { param, type Api, type Call, type Method, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { durationOf } from "../durations.ts";
import { invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { accountResource, projectResource } from "../iam/resources.ts";
import { policyMethods } from "../iam/methods.ts";
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

  #topicMethods(): Record<string, Method> {
    return {
      "pubsub.projects.topics.create": {
        needs: () => this.#onProject("pubsub.topics.create"),
        run: (call) => {
          const name = param(call, "name");
          checkName(name);
          if (this.topics.has(name)) throw exists(name);
          const topic = { ...(call.body as Topic), name };
          this.topics.set(name, topic);
          return topic;
        },
      },
      "pubsub.projects.topics.get": {
        needs: on("pubsub.topics.get", "topic"),
        run: (call) => this.#topic(param(call, "topic")),
      },
      "pubsub.projects.topics.list": {
        needs: () => this.#onProject("pubsub.topics.list"),
        run: (call) => inPages(call, "topics", [...this.topics.values()]),
      },
      "pubsub.projects.topics.patch": {
        needs: on("pubsub.topics.update", "name"),
        run: (call) => {
          const { topic = {}, updateMask = "" } = call.body as { topic?: Partial<Topic>; updateMask?: string };
          const changed = { ...this.#topic(param(call, "name")), ...masked(topic, updateMask) };
          this.topics.set(changed.name, changed);
          return changed;
        },
      },
      "pubsub.projects.topics.delete": {
        needs: on("pubsub.topics.delete", "topic"),
        run: (call) => {
          const { name } = this.#topic(param(call, "topic"));
          this.topics.delete(name);
          for (const { config } of this.subscriptions.values())
            if (config.topic === name) config.topic = "_deleted-topic_";
        },
      },
      "pubsub.projects.topics.publish": {
        needs: on("pubsub.topics.publish", "topic"),
        run: (call) => {
          const { name } = this.#topic(param(call, "topic"));
          const { messages = [] } = call.body as { messages?: readonly OutgoingMessage[] };
          checkMessages(messages);
          return { messageIds: messages.map((message) => this.#publish(name, message)) };
        },
      },
      "pubsub.projects.topics.subscriptions.list": {
        needs: on("pubsub.topics.get", "topic"),
        run: (call) => {
          const { name } = this.#topic(param(call, "topic"));
          const of = [...this.subscriptions.values()].filter(({ config }) => config.topic === name);
          return inPages(
            call,
            "subscriptions",
            of.map((subscription) => subscription.name),
          );
        },
      },
      ...policyMethods(this.#cloud, { method: "pubsub.projects.topics", permission: "pubsub.topics", resource }),
    };
  }

  #subscriptionMethods(): Record<string, Method> {
    return {
      "pubsub.projects.subscriptions.create": {
        needs: (call) => {
          const config = call.body as SubscriptionConfig;
          return [
            ...this.#onProject("pubsub.subscriptions.create"),
            { permission: "pubsub.topics.attachSubscription", resource: resourceOf(config.topic ?? "") },
            ...this.#actAs(config.pushConfig),
          ];
        },
        run: (call) => {
          const name = param(call, "name");
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
      "pubsub.projects.subscriptions.get": {
        needs: on("pubsub.subscriptions.get", "subscription"),
        run: (call) => json(this.#subscription(call)),
      },
      "pubsub.projects.subscriptions.list": {
        needs: () => this.#onProject("pubsub.subscriptions.list"),
        run: (call) =>
          inPages(
            call,
            "subscriptions",
            [...this.subscriptions.values()].map((one) => json(one)),
          ),
      },
      "pubsub.projects.subscriptions.patch": {
        needs: (call) => {
          const { subscription } = call.body as { subscription?: SubscriptionConfig };
          return [
            { permission: "pubsub.subscriptions.update", resource: resourceOf(param(call, "name")) },
            ...this.#actAs(subscription?.pushConfig),
          ];
        },
        run: (call) => {
          const { subscription = {}, updateMask = "" } = call.body as { subscription?: object; updateMask?: string };
          const found = this.#subscription(call, "name");
          const changed = { ...found.config, ...masked(subscription, updateMask) };
          checkConfig(changed);
          Object.assign(found.config, changed);
          return json(found);
        },
      },
      "pubsub.projects.subscriptions.modifyPushConfig": {
        needs: (call) => [
          { permission: "pubsub.subscriptions.update", resource: resourceOf(param(call, "subscription")) },
          ...this.#actAs((call.body as SubscriptionConfig).pushConfig),
        ],
        run: (call) => {
          this.#subscription(call).config.pushConfig = (call.body as SubscriptionConfig).pushConfig ?? {};
        },
      },
      "pubsub.projects.subscriptions.delete": {
        needs: on("pubsub.subscriptions.delete", "subscription"),
        run: (call) => {
          const subscription = this.#subscription(call);
          subscription.close();
          this.subscriptions.delete(subscription.name);
        },
      },
      "pubsub.projects.subscriptions.pull": {
        needs: on("pubsub.subscriptions.consume", "subscription"),
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
      "pubsub.projects.subscriptions.acknowledge": {
        needs: on("pubsub.subscriptions.consume", "subscription"),
        run: (call) => this.#subscription(call).acknowledge((call.body as { ackIds?: readonly string[] }).ackIds ?? []),
      },
      "pubsub.projects.subscriptions.modifyAckDeadline": {
        needs: on("pubsub.subscriptions.consume", "subscription"),
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
      ...policyMethods(this.#cloud, {
        method: "pubsub.projects.subscriptions",
        permission: "pubsub.subscriptions",
        resource,
      }),
    };
  }

  #topic(name: string): Topic {
    const topic = this.topics.get(name);
    if (!topic) throw missing(name);
    return topic;
  }

  #subscription(call: Call, name = "subscription"): Subscription {
    const subscription = this.subscriptions.get(param(call, name));
    if (!subscription) throw missing(param(call, name));
    return subscription;
  }

  #onProject(permission: string): Needed[] {
    return [{ permission, resource: projectResource(this.#cloud) }];
  }

  /** Who has tokens of an account sent must be allowed to act as it. */
  #actAs(push: SubscriptionConfig["pushConfig"]): Needed[] {
    const email = push?.oidcToken?.serviceAccountEmail;
    return email === undefined
      ? []
      : [{ permission: "iam.serviceAccounts.actAs", resource: accountResource(this.#cloud, email) }];
  }
}

function on(permission: string, name: string): (call: Call) => Needed[] {
  return (call) => [{ permission, resource: resourceOf(param(call, name)) }];
}

function resource(call: Call): string {
  return resourceOf(param(call, "resource"));
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
  const id = name.split("/").at(-1) ?? "";
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
  return new Refusal("NOT_FOUND", `Resource not found (resource=${name.split("/").at(-1)}).`);
}

function exists(name: string): Refusal {
  return new Refusal("ALREADY_EXISTS", `Resource already exists in the project (resource=${name.split("/").at(-1)}).`);
}
