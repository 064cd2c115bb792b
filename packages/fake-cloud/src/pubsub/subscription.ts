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
  /** The timer of the next delivery, or of the acknowledgment deadline. */
  timer?: Timer;
  ready: boolean;
}

/** A subscription: delivers each message until it is acknowledged or moved to the dead-letter topic. */
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
      const outstanding = { message, attempts: 0, ready: false };
      this.#outstanding.add(outstanding);
      this.#offer(outstanding, this.#cloud.faults.holdUp());
    }
  }

  pull(most: number): unknown[] {
    const ready = [...this.#outstanding]
      .filter((outstanding) => outstanding.ready && outstanding.ackId === undefined)
      .slice(0, most);
    return ready.map((outstanding) => {
      outstanding.ready = false;
      outstanding.attempts += 1;
      outstanding.ackId = randomBytes(12).toString("base64url");
      outstanding.timer = this.#cloud.clock.after(this.#deadline(), () => this.#refuse(outstanding));
      return { ackId: outstanding.ackId, message: wire(outstanding.message, false), ...this.#attempt(outstanding) };
    });
  }

  acknowledge(ackIds: readonly string[]): void {
    for (const outstanding of this.#with(ackIds)) this.#drop(outstanding);
  }

  /** Changes the acknowledgment deadline of messages; 0 counts as a negative acknowledgment. */
  extend(ackIds: readonly string[], seconds: number): void {
    for (const outstanding of this.#with(ackIds)) {
      this.#cloud.clock.cancel(outstanding.timer);
      if (seconds === 0) this.#refuse(outstanding);
      else outstanding.timer = this.#cloud.clock.after(seconds * 1000, () => this.#refuse(outstanding));
    }
  }

  close(): void {
    for (const outstanding of this.#outstanding) this.#drop(outstanding);
  }

  /** Schedules a delivery. */
  #offer(outstanding: Outstanding, milliseconds: number): void {
    outstanding.timer = this.#cloud.clock.after(milliseconds, async () => {
      outstanding.ready = true;
      if (this.pushes) await this.#push(outstanding);
    });
  }

  async #push(outstanding: Outstanding): Promise<void> {
    if (!this.#outstanding.has(outstanding)) return;
    outstanding.ready = false;
    outstanding.attempts += 1;
    const { pushEndpoint = "", oidcToken } = this.config.pushConfig ?? {};
    const body = { message: wire(outstanding.message, true), subscription: this.name, ...this.#attempt(outstanding) };
    const status = this.#maySendAs(oidcToken?.serviceAccountEmail)
      ? await this.#cloud.services.deliver(pushEndpoint, {
          method: "POST",
          headers: pushHeaders,
          oidcToken,
          body: JSON.stringify(body),
          timeout: this.#deadline(),
        })
      : 0;
    if (acknowledging.has(status)) this.#drop(outstanding);
    else this.#refuse(outstanding);
  }

  /** True if Pub/Sub may issue a token of the push account. */
  #maySendAs(email: string | undefined): boolean {
    if (email === undefined) return true;
    const agent = this.#cloud.agent("gcp-sa-pubsub");
    return this.#cloud.may(agent, "iam.serviceAccounts.getOpenIdToken", accountResource(this.#cloud, email));
  }

  /** Handles a missing acknowledgment: schedules a retry or forwards to the dead-letter topic. */
  #refuse(outstanding: Outstanding): void {
    if (!this.#outstanding.has(outstanding)) return;
    delete outstanding.ackId;
    const { deadLetterPolicy, retryPolicy } = this.config;
    if (
      deadLetterPolicy &&
      outstanding.attempts >= (deadLetterPolicy.maxDeliveryAttempts ?? 5) &&
      this.#bury(outstanding)
    )
      return;
    const usual = retryPolicy ? (["10s", "600s"] as const) : (["0.1s", "60s"] as const);
    const { minimumBackoff: minBackoff = usual[0], maximumBackoff: maxBackoff = usual[1] } = retryPolicy ?? {};
    const backoff = retryPolicy || this.pushes ? backoffOf({ minBackoff, maxBackoff }, outstanding.attempts - 1) : 0;
    this.#offer(outstanding, backoff);
  }

  /** Moves a message to the dead-letter topic. Without one of the two grants, leaves it here and returns false. */
  #bury(outstanding: Outstanding): boolean {
    const agent = this.#cloud.agent("gcp-sa-pubsub");
    const topic = this.config.deadLetterPolicy?.deadLetterTopic ?? "";
    const host = "//pubsub.googleapis.com/";
    if (!this.#cloud.may(agent, "pubsub.subscriptions.consume", `${host}${this.name}`)) return false;
    if (!this.#cloud.may(agent, "pubsub.topics.publish", `${host}${topic}`)) return false;
    const { id: _id, published, ...message } = outstanding.message;
    this.#publisher.publishAs(agent, topic, {
      ...message,
      attributes: {
        ...message.attributes,
        CloudPubSubDeadLetterSourceDeliveryCount: String(outstanding.attempts),
        CloudPubSubDeadLetterSourceSubscription: shortName(this.name),
        CloudPubSubDeadLetterSourceSubscriptionProject: this.#cloud.project.id,
        CloudPubSubDeadLetterSourceTopicPublishTime: published,
      },
    });
    this.#drop(outstanding);
    return true;
  }

  #attempt({ attempts }: Outstanding): { deliveryAttempt?: number } {
    return this.config.deadLetterPolicy ? { deliveryAttempt: attempts } : {};
  }

  #with(ackIds: readonly string[]): Outstanding[] {
    return [...this.#outstanding].filter(({ ackId }) => ackId !== undefined && ackIds.includes(ackId));
  }

  #drop(outstanding: Outstanding): void {
    this.#cloud.clock.cancel(outstanding.timer);
    this.#outstanding.delete(outstanding);
  }

  #deadline(): number {
    return (this.config.ackDeadlineSeconds ?? 10) * 1000;
  }
}

/** The statuses that acknowledge a push. */
const acknowledging = new Set([102, 200, 201, 202, 204]);

/** Formats a message for pulls, or for pushes, which repeat two fields under other names. */
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
