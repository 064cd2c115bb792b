import type { Carrier, Receiver } from "../../messages.ts";

/** Where messages wait: of a queue or a job one for all, of a topic or an event one a receiver. */
export interface Inbox {
  /** The carrier as text: `queue:emails`. */
  readonly carrier: string;
  /** The receiver's id; "" where there is one inbox for all, so that its messages outlive the name of who takes them. */
  readonly receiver: string;
}

/** Where a receiver takes its messages from. */
export function inboxOf({ id, carrier }: Pick<Receiver, "id" | "carrier">): Inbox {
  return { carrier: carrierText(carrier), receiver: isShared(carrier) ? "" : id };
}

/** Where a message goes: a queue and a job keep it also when nobody receives it. */
export function inboxesOf(carrier: Carrier, receivers: readonly Receiver[]): readonly Inbox[] {
  const text = carrierText(carrier);
  if (isShared(carrier)) return [{ carrier: text, receiver: "" }];
  return receivers.filter((receiver) => carrierText(receiver.carrier) === text).map(inboxOf);
}

/** The same for the same inbox. */
export function inboxName({ carrier, receiver }: Inbox): string {
  return `${carrier}\n${receiver}`;
}

function carrierText({ kind, name }: Carrier): string {
  return `${kind}:${name}`;
}

/** What `carrierText` was given. */
export function carrierOf(text: string): Carrier {
  const colon = text.indexOf(":");
  return { kind: text.slice(0, colon) as Carrier["kind"], name: text.slice(colon + 1) };
}

function isShared({ kind }: Carrier): boolean {
  return kind === "queue" || kind === "job";
}
