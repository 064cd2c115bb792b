import { shortName } from "../api.ts";
import { randomBytes } from "node:crypto";
import type { Timer } from "../clock.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import { backoffOf } from "../durations.ts";
import { accountResource } from "../iam/resources.ts";
import type { OidcToken } from "../run/services.ts";
import type { OutgoingMessage, Publisher } from "./publisher.ts";

/** A message with the fields that publishing adds. */
export interface Message extends OutgoingMessage {
  readonly id: string;
  readonly published: string;
}

/** The settings of a subscription. */
export interface SubscriptionConfig {
  readonly name: string;
  topic: string;
  readonly ackDeadlineSeconds?: number;
  pushConfig?: {
    readonly pushEndpoint?: string;
    readonly oidcToken?: OidcToken;
    readonly attributes?: Readonly<Record<string, string>>;
  };
  readonly deadLetterPolicy?: { readonly deadLetterTopic?: string; readonly maxDeliveryAttempts?: number };
  readonly retryPolicy?: { readonly minimumBackoff?: string; readonly maximumBackoff?: string };
  readonly expirationPolicy?: unknown;
  readonly filter?: string;
}

/** An unacknowledged message. */
interface Outstanding {
  readonly message: Message;
  /** The number of deliveries. */
  attempts: number;
  /** Set while a delivery is outstanding. */
  ackId?: string;
  /** The timer of the next delivery. */
  timer?: Timer;
  ready: boolean;
}

/** A subscription: delivers each message until it is acknowledged or its attempts are used up. */
export class Subscription {
  readonly config: SubscriptionConfig;
  readonly #cloud: ServingCloud;
  readonly #publisher: Publisher;
  readonly #outstanding = new Set<Outstanding>();

  constructor(cloud: ServingCloud, publisher: Publisher, config: SubscriptionConfig) {
    this.#cloud = cloud;
    this.#publisher = publisher;
    this.config = config;
  }

  get name(): string {
    return this.config.name;
  }

  get pushes(): boolean {
    return Boolean(this.config.pushConfig?.pushEndpoint);
  }

  /** The number of waiting and outstanding messages. */
  get size(): number {
    return this.#outstanding.size;
  }

  take(message: Message): void {
    for (const _ of this.#cloud.faults.isDuplicate() ? [1, 2] : [1]) {
      const held = { message, attempts: 0, ready: false };
      this.#outstanding.add(held);
      this.#offer(held, this.#cloud.faults.holdUp());
    }
  }

  pull(most: number): unknown[] {
    const ready = [...this.#outstanding].filter((held) => held.ready && held.ackId === undefined).slice(0, most);
    return ready.map((held) => {
      held.ready = false;
      held.attempts += 1;
      held.ackId = randomBytes(12).toString("base64url");
      held.timer = this.#cloud.clock.after(this.#deadline(), () => this.#refuse(held));
      return { ackId: held.ackId, message: wire(held.message, false), ...this.#attempt(held) };
    });
  }

  acknowledge(ackIds: readonly string[]): void {
    for (const held of this.#with(ackIds)) this.#drop(held);
  }

  /** Changes the acknowledgment deadline; 0 returns the message at once. */
  extend(ackIds: readonly string[], seconds: number): void {
    for (const held of this.#with(ackIds)) {
      this.#cloud.clock.cancel(held.timer);
      if (seconds === 0) this.#refuse(held);
      else held.timer = this.#cloud.clock.after(seconds * 1000, () => this.#refuse(held));
    }
  }

  close(): void {
    for (const held of this.#outstanding) this.#drop(held);
  }

  /** Schedules a delivery. */
  #offer(held: Outstanding, milliseconds: number): void {
    held.timer = this.#cloud.clock.after(milliseconds, async () => {
      held.ready = true;
      if (this.pushes) await this.#push(held);
    });
  }

  async #push(held: Outstanding): Promise<void> {
    if (!this.#outstanding.has(held)) return;
    held.ready = false;
    held.attempts += 1;
    const { pushEndpoint = "", oidcToken } = this.config.pushConfig ?? {};
    const body = { message: wire(held.message, true), subscription: this.name, ...this.#attempt(held) };
    const status = this.#maySendAs(oidcToken?.serviceAccountEmail)
      ? await this.#cloud.services.deliver(pushEndpoint, {
          method: "POST",
          headers: pushHeaders,
          oidcToken,
          body: JSON.stringify(body),
          timeout: this.#deadline(),
        })
      : 0;
    if (acknowledging.has(status)) this.#drop(held);
    else this.#refuse(held);
  }

  /** True if Pub/Sub may issue a token of the push account. */
  #maySendAs(email: string | undefined): boolean {
    if (email === undefined) return true;
    const agent = this.#cloud.agent("gcp-sa-pubsub");
    return this.#cloud.may(agent, "iam.serviceAccounts.getOpenIdToken", accountResource(this.#cloud, email));
  }

  /** Handles a missing acknowledgment: schedules a retry or forwards to the dead-letter topic. */
  #refuse(held: Outstanding): void {
    if (!this.#outstanding.has(held)) return;
    delete held.ackId;
    const { deadLetterPolicy, retryPolicy } = this.config;
    if (deadLetterPolicy && held.attempts >= (deadLetterPolicy.maxDeliveryAttempts ?? 5) && this.#bury(held)) return;
    const usual = retryPolicy ? (["10s", "600s"] as const) : (["0.1s", "60s"] as const);
    const { minimumBackoff: minBackoff = usual[0], maximumBackoff: maxBackoff = usual[1] } = retryPolicy ?? {};
    const backoff = retryPolicy || this.pushes ? backoffOf({ minBackoff, maxBackoff }, held.attempts - 1) : 0;
    this.#offer(held, backoff);
  }

  /** Publishes a message to the dead-letter topic. Without both grants the message stays here. */
  #bury(held: Outstanding): boolean {
    const agent = this.#cloud.agent("gcp-sa-pubsub");
    const topic = this.config.deadLetterPolicy?.deadLetterTopic ?? "";
    const host = "//pubsub.googleapis.com/";
    if (!this.#cloud.may(agent, "pubsub.subscriptions.consume", `${host}${this.name}`)) return false;
    if (!this.#cloud.may(agent, "pubsub.topics.publish", `${host}${topic}`)) return false;
    const { id: _id, published, ...message } = held.message;
    this.#publisher.publishAs(agent, topic, {
      ...message,
      attributes: {
        ...message.attributes,
        CloudPubSubDeadLetterSourceDeliveryCount: String(held.attempts),
        CloudPubSubDeadLetterSourceSubscription: shortName(this.name),
        CloudPubSubDeadLetterSourceSubscriptionProject: this.#cloud.project.id,
        CloudPubSubDeadLetterSourceTopicPublishTime: published,
      },
    });
    this.#drop(held);
    return true;
  }

  #attempt({ attempts }: Outstanding): { deliveryAttempt?: number } {
    return this.config.deadLetterPolicy ? { deliveryAttempt: attempts } : {};
  }

  #with(ackIds: readonly string[]): Outstanding[] {
    return [...this.#outstanding].filter(({ ackId }) => ackId !== undefined && ackIds.includes(ackId));
  }

  #drop(held: Outstanding): void {
    this.#cloud.clock.cancel(held.timer);
    this.#outstanding.delete(held);
  }

  #deadline(): number {
    return (this.config.ackDeadlineSeconds ?? 10) * 1000;
  }
}

/** The statuses that acknowledge a push. */
const acknowledging = new Set([102, 200, 201, 202, 204]);

/** A message in the format of pulls, or in that of pushes, which repeats two fields under other names. */
function wire({ id, published, data, attributes, orderingKey }: Message, push: boolean): unknown {
  return {
    ...(data !== undefined && { data }),
    ...(attributes && { attributes }),
    messageId: id,
    publishTime: published,
    ...(push && { message_id: id, publish_time: published }),
    ...(orderingKey !== undefined && orderingKey !== "" && { orderingKey }),
  };
}

const pushHeaders = {
  "content-type": "application/json",
  accept: "application/json",
  from: "noreply@google.com",
  "user-agent": "APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)",
};
