import { PlatformError } from "../../errors.ts";
import type { Destination, Consumer } from "../../messages.ts";

/** A queue of waiting messages: one per queue or job, and one per consumer of a topic or event. */
export interface Inbox {
  /** The destination as text, such as `queue:emails`. */
  readonly destination: string;
  /** The consumer's id; "" for a shared inbox, so that a renamed consumer gets its messages. */
  readonly consumer: string;
}

export function inboxOf({ id, destination }: Pick<Consumer, "id" | "destination">): Inbox {
  return { destination: destinationText(destination), consumer: isShared(destination) ? "" : id };
}

export function inboxNamed(destination: string, consumer: string): Inbox {
  return { destination, consumer: isShared(destinationOf(destination)) ? "" : consumer };
}

/** Returns the inboxes that receive a message. A queue or job has one even without a consumer. */
export function inboxesOf(destination: Destination, consumers: readonly Consumer[]): readonly Inbox[] {
  const text = destinationText(destination);
  if (isShared(destination)) return [{ destination: text, consumer: "" }];
  return consumers.filter((consumer) => destinationText(consumer.destination) === text).map(inboxOf);
}

export function inboxName({ destination, consumer }: Inbox): string {
  return `${destination}\n${consumer}`;
}

export function destinationText({ kind, name }: Destination): string {
  return `${kind}:${name}`;
}

export function destinationOf(text: string): Destination {
  const colon = text.indexOf(":");
  return { kind: text.slice(0, colon) as Destination["kind"], name: text.slice(colon + 1) };
}

export function isShared({ kind }: Destination): boolean {
  return kind === "queue" || kind === "job";
}

/** Maps inboxes to consumers; fails with `document` if two consumers read from the same queue or job. */
export function byInbox(consumers: readonly Consumer[]): ReadonlyMap<string, Consumer> {
  const consumersByInbox = new Map<string, Consumer>();
  for (const consumer of consumers) {
    const name = inboxName(inboxOf(consumer));
    const other = consumersByInbox.get(name);
    if (other !== undefined) throw twice(other, consumer);
    consumersByInbox.set(name, consumer);
  }
  return consumersByInbox;
}

function twice(one: Consumer, other: Consumer): PlatformError {
  const { kind, name } = one.destination;
  return new PlatformError("document", `the ${kind} ${name} has two consumers, ${one.id} and ${other.id}`);
}

/**
 * Receiver prefix of messages that do not fit their type, so that no lane takes them. Consumer ids contain no space.
 */
export const misfitMark = "misfit ";

/** For an inbox of messages that were set aside, returns their original inbox; otherwise undefined. */
export function misfitInbox({ destination, consumer }: Inbox): Inbox | undefined {
  return consumer.startsWith(misfitMark) ? { destination, consumer: consumer.slice(misfitMark.length) } : undefined;
}
