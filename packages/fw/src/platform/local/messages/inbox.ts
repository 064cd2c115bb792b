import type { Destination, Consumer } from "../../messages.ts";

/** Where messages wait: of a queue or a job one for all, of a topic or an event one a consumer. */
export interface Inbox {
  /** The destination as text: `queue:emails`. */
  readonly destination: string;
  /** The consumer's id; "" where there is one inbox for all, so that its messages outlive the name of who takes them. */
  readonly consumer: string;
}

/** Where a consumer takes its messages from. */
export function inboxOf({ id, destination }: Pick<Consumer, "id" | "destination">): Inbox {
  return { destination: destinationText(destination), consumer: isShared(destination) ? "" : id };
}

/** Where a message goes: a queue and a job keep it also when nobody receives it. */
export function inboxesOf(destination: Destination, consumers: readonly Consumer[]): readonly Inbox[] {
  const text = destinationText(destination);
  if (isShared(destination)) return [{ destination: text, consumer: "" }];
  return consumers.filter((consumer) => destinationText(consumer.destination) === text).map(inboxOf);
}

/** The same for the same inbox. */
export function inboxName({ destination, consumer }: Inbox): string {
  return `${destination}\n${consumer}`;
}

function destinationText({ kind, name }: Destination): string {
  return `${kind}:${name}`;
}

/** What `destinationText` was given. */
export function destinationOf(text: string): Destination {
  const colon = text.indexOf(":");
  return { kind: text.slice(0, colon) as Destination["kind"], name: text.slice(colon + 1) };
}

function isShared({ kind }: Destination): boolean {
  return kind === "queue" || kind === "job";
}
