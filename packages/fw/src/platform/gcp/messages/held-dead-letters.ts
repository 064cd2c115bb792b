import { randomUUID } from "node:crypto";
import { deadMessages, deadPage } from "../../../lib/limits.ts";
import { messageNames, unknownReason } from "../../message-names.ts";
import type { Consumer, DeadMessage, DeadOptions, HeldMessages } from "../../messages.ts";
import { deadHoldName, topicName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import type { Methods, PubsubMessage, ReceivedMessage } from "../rest/generated/pubsub.ts";
import type { Given } from "../rest/given.ts";
import { createTask } from "./create-task.ts";
import { publish } from "./publish.ts";

/** Messages of one answer to a pull, at most. */
const pullMessages = 1_000;

/** A message that Pub/Sub has handed out, until it is acknowledged or given back. */
interface Pulled extends Given<ReceivedMessage, "ackId"> {
  readonly message: Given<PubsubMessage, "messageId" | "publishTime">;
}

/** What Pub/Sub writes beside a message that it gave up itself. */
const givenUp = "CloudPubSubDeadLetterSource";

/**
 * The dead letters that the subscriptions of an application hold, for whoever operates it. A subscription hands out what it holds to
 * one at a time and in no order: while somebody looks, somebody else may see fewer. Of one consumer 10,000 or so are looked at.
 */
export class HeldDeadLetters implements HeldMessages {
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  async dead({ consumer, after = 0, limit = deadPage }: DeadOptions = {}): Promise<readonly DeadMessage[]> {
    const consumers = this.#consumers().filter(({ id }) => consumer === undefined || id === consumer);
    const held: DeadMessage[] = [];
    await Promise.all(
      consumers.map((consumer) =>
        this.#holding(consumer, async (page) => void held.push(...page.map((one) => deadMessage(consumer, one)))),
      ),
    );
    return held
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

  /** Takes a message away once it is dealt with; false when there is none of this id for the consumer. */
  async #take(
    consumerId: string,
    id: string,
    deal: (consumer: Consumer, pulled: Pulled) => Promise<void>,
  ): Promise<boolean> {
    const consumer = this.#consumers().find(({ id }) => id === consumerId);
    if (consumer === undefined) return false;
    const found = await this.#holding(consumer, async (page) => {
      const pulled = page.find((one) => idOf(one) === id);
      if (pulled === undefined) return undefined;
      await deal(consumer, pulled);
      await this.#subscription(consumer, "acknowledge", { ackIds: [pulled.ackId] });
      return true;
    });
    return found ?? false;
  }

  async #send({ id: consumer, destination }: Consumer, pulled: Pulled): Promise<void> {
    const id = idOf(pulled);
    const body = bodyOf(pulled);
    const sent = new Date(this.#parts.cloud.clock.now());
    // A task of this name was there, and its queue takes none of the same name for a while.
    if (destination.kind === "queue")
      return createTask(this.#parts, { id, destination, body, sent, due: sent }, `${id}-${randomUUID()}`);
    const beside = Object.entries(pulled.message.attributes ?? {}).filter(
      ([name]) => !name.startsWith(givenUp) && name !== messageNames.attempts && name !== messageNames.reason,
    );
    const topic = topicName(this.#parts.place, destination);
    const attributes = { ...(Object.fromEntries(beside) as Record<string, string>), [messageNames.to]: consumer };
    await publish(this.#parts, topic, { id, body, sent }, attributes);
  }

  /** Looks through what is held for a consumer until `look` answers, and gives back what was not acknowledged. */
  async #holding<T>(
    consumer: Consumer,
    look: (page: readonly Pulled[]) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const ackIds: string[] = [];
    try {
      while (ackIds.length < deadMessages) {
        const asked = { maxMessages: pullMessages, returnImmediately: true };
        const { receivedMessages = [] } = (await this.#subscription(consumer, "pull", asked)) as {
          readonly receivedMessages?: readonly Pulled[];
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

  /** A job's tasks that failed are executions of Cloud Run, which show there. */
  #consumers(): readonly Consumer[] {
    return (this.#parts.definitions.consumers ?? []).filter(({ destination }) => destination.kind !== "job");
  }
}

function deadMessage({ id: consumer, destination }: Consumer, pulled: Pulled): DeadMessage {
  const { attributes = {}, publishTime } = pulled.message;
  const attempts = attributes[messageNames.attempts] ?? attributes[`${givenUp}DeliveryCount`];
  return {
    position: microseconds(publishTime),
    id: idOf(pulled),
    consumer,
    destination,
    attempts: Number(attempts ?? 1),
    body: bodyOf(pulled),
    sent: new Date(attributes[messageNames.sent] ?? attributes[`${givenUp}TopicPublishTime`] ?? publishTime),
    died: new Date(publishTime),
    reason: attributes[messageNames.reason] ?? unknownReason,
  };
}

function idOf({ message }: Pulled): string {
  return message.attributes?.[messageNames.id] ?? message.messageId;
}

function bodyOf({ message }: Pulled): string {
  return Buffer.from(message.data ?? "", "base64").toString();
}

/** Since 1970: `2026-11-21T10:00:00.123456Z`. */
function microseconds(instant: string): number {
  const fraction = /\.(\d+)/.exec(instant)?.[1] ?? "";
  return Math.floor(Date.parse(instant) / 1000) * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
