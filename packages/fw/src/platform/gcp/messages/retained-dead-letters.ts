import { randomUUID } from "node:crypto";
import { deadMessages, deadPage } from "../../../lib/limits.ts";
import { messageNames, unknownReason } from "../../message-names.ts";
import type { Consumer, DeadMessage, DeadOptions, HeldMessages } from "../../messages.ts";
import { deadHoldName, topicName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import type { Methods, PubsubMessage, ReceivedMessage } from "../rest/generated/pubsub.ts";
import type { WithFields } from "../rest/with-fields.ts";
import { createTask } from "./create-task.ts";
import { publish } from "./publish.ts";

/** Pub/Sub's maximum number of messages in a pull response. */
const pullMessages = 1_000;

/** A pulled message, until it is acknowledged or returned. */
interface PulledMessage extends WithFields<ReceivedMessage, "ackId"> {
  readonly message: WithFields<PubsubMessage, "messageId" | "publishTime">;
}

/** The prefix of the attributes that Pub/Sub adds to messages that it dead-letters itself. */
const pubsubDeadLetter = "CloudPubSubDeadLetterSource";

/** Attributes that fw adds to a dead letter and omits when it resends the message. */
const ownNames: ReadonlySet<string> = new Set([messageNames.attempts, messageNames.reason, messageNames.waits]);

/**
 * Gives operators access to the dead letters in an application's subscriptions. A subscription delivers each message to
 * one reader at a time and in any order, so concurrent readers may miss messages. Reads up to about 10,000 messages for
 * each consumer.
 */
export class HeldDeadLetters implements HeldMessages {
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  async dead({ consumer, after = 0, limit = deadPage }: DeadOptions = {}): Promise<readonly DeadMessage[]> {
    const consumers = this.#consumers().filter(({ id }) => consumer === undefined || id === consumer);
    const messages: DeadMessage[] = [];
    await Promise.all(
      consumers.map((consumer) =>
        this.#holding(consumer, async (page) => void messages.push(...page.map((one) => deadMessage(consumer, one)))),
      ),
    );
    return messages
      .filter(({ position }) => position > after)
      .toSorted((a, b) => a.position - b.position)
      .slice(0, limit);
  }

  async replay(consumer: string, id: string): Promise<boolean> {
    return this.#take(consumer, id, (to, pulled) => this.#send(to, pulled));
  }

  async drop(consumer: string, id: string): Promise<boolean> {
    return this.#take(consumer, id, async () => {});
  }

  /** Resends the messages that wait for code that accepts them; resolves with the number sent. */
  async resendWaiting(): Promise<number> {
    let resent = 0;
    await Promise.all(
      this.#consumers().map((consumer) =>
        this.#holding(consumer, async (page): Promise<undefined> => {
          for (const pulled of page.filter(isWaiting)) {
            await this.#send(consumer, pulled);
            await this.#subscription(consumer, "acknowledge", { ackIds: [pulled.ackId] });
            resent++;
          }
        }),
      ),
    );
    return resent;
  }

  /** Processes a message and acknowledges it; returns false if the consumer has no message with this id. */
  async #take(
    consumerId: string,
    id: string,
    process: (consumer: Consumer, pulled: PulledMessage) => Promise<void>,
  ): Promise<boolean> {
    const consumer = this.#consumers().find(({ id }) => id === consumerId);
    if (consumer === undefined) return false;
    const isDone = await this.#holding(consumer, async (page) => {
      const pulled = page.find((one) => idOf(one) === id);
      if (pulled === undefined) return undefined;
      await process(consumer, pulled);
      await this.#subscription(consumer, "acknowledge", { ackIds: [pulled.ackId] });
      return true;
    });
    return isDone ?? false;
  }

  async #send({ id: consumer, destination }: Consumer, pulled: PulledMessage): Promise<void> {
    const id = idOf(pulled);
    const body = bodyOf(pulled);
    const sentAt = new Date(this.#parts.cloud.clock.now());
    // Cloud Tasks refuses to reuse a task's name for some time after the task has ended.
    if (destination.kind === "queue")
      return createTask(this.#parts, { id, destination, body, sent: sentAt, due: sentAt }, `${id}-${randomUUID()}`);
    const ownAttributes = Object.entries(pulled.message.attributes ?? {}).filter(
      ([name]) => !name.startsWith(pubsubDeadLetter) && !ownNames.has(name),
    );
    const topic = topicName(this.#parts.place, destination);
    const attributes = {
      ...(Object.fromEntries(ownAttributes) as Record<string, string>),
      [messageNames.to]: consumer,
    };
    await publish(this.#parts, topic, { id, body, sent: sentAt }, attributes);
  }

  /**
   * Pulls a consumer's messages, about `deadMessages` at most, until `look` returns a result or none are left. Returns
   * the result, and makes unacknowledged messages available again.
   */
  async #holding<T>(
    consumer: Consumer,
    look: (page: readonly PulledMessage[]) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const ackIds: string[] = [];
    try {
      while (ackIds.length < deadMessages) {
        const pullRequest = { maxMessages: pullMessages, returnImmediately: true };
        const { receivedMessages = [] } = (await this.#subscription(consumer, "pull", pullRequest)) as {
          readonly receivedMessages?: readonly PulledMessage[];
        };
        if (receivedMessages.length === 0) return undefined;
        ackIds.push(...receivedMessages.map(({ ackId }) => ackId));
        const answer = await look(receivedMessages);
        if (answer !== undefined) return answer;
      }
      return undefined;
    } finally {
      if (ackIds.length > 0) await this.#subscription(consumer, "modifyAckDeadline", { ackIds, ackDeadlineSeconds: 0 });
    }
  }

  #subscription<Name extends Exclude<keyof Methods, "publish">>(
    { id }: Consumer,
    method: Name,
    body: Methods[Name]["request"],
  ): Promise<Methods[Name]["answer"]> {
    const { cloud, place } = this.#parts;
    const path = `/v1/projects/${place.project}/subscriptions/${deadHoldName(place, id)}:${method}`;
    return cloud.client.call({ api: "pubsub", method: "POST", path, body, repeatable: true });
  }

  /** Returns all consumers except jobs. Failed tasks of jobs are executions on Cloud Run. */
  #consumers(): readonly Consumer[] {
    return (this.#parts.definitions.consumers ?? []).filter(({ destination }) => destination.kind !== "job");
  }
}

function deadMessage({ id: consumer, destination }: Consumer, pulled: PulledMessage): DeadMessage {
  const { attributes = {}, publishTime } = pulled.message;
  const attempts = attributes[messageNames.attempts] ?? attributes[`${pubsubDeadLetter}DeliveryCount`];
  return {
    position: microseconds(publishTime),
    id: idOf(pulled),
    consumer,
    destination,
    attempts: Number(attempts ?? 1),
    body: bodyOf(pulled),
    sent: new Date(attributes[messageNames.sent] ?? attributes[`${pubsubDeadLetter}TopicPublishTime`] ?? publishTime),
    died: new Date(publishTime),
    reason: attributes[messageNames.reason] ?? unknownReason,
    ...(isWaiting(pulled) && { waits: true }),
  };
}

function isWaiting({ message }: PulledMessage): boolean {
  return message.attributes?.[messageNames.waits] !== undefined;
}

function idOf({ message }: PulledMessage): string {
  return message.attributes?.[messageNames.id] ?? message.messageId;
}

function bodyOf({ message }: PulledMessage): string {
  return Buffer.from(message.data ?? "", "base64").toString();
}

/** Converts `2026-11-21T10:00:00.123456Z` to microseconds since 1970. */
function microseconds(instant: string): number {
  const fraction = /\.(\d+)/.exec(instant)?.[1] ?? "";
  return Math.floor(Date.parse(instant) / 1000) * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
