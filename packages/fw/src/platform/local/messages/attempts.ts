import { eventName } from "../../../lib/events.ts";
import type { DeliveryPolicy, Destination, OutgoingMessage } from "../../messages.ts";
import type { DeadLetters } from "./dead-letters.ts";
import type { InFlightDelivery } from "./in-flight-delivery.ts";
import { destinationOf } from "./inbox.ts";
import type { ConsumerLane } from "./consumer-lane.ts";
import type { KeptMessage, MessageRows } from "./rows.ts";

/** What attempts are written down with. */
export interface AttemptParts {
  readonly rows: MessageRows;
  readonly dead: DeadLetters;
  /** Keeps a message of the framework's own. */
  readonly send: (destination: Destination, message: OutgoingMessage) => void;
  /** A number from 0 to 1 for each pause. */
  readonly random: () => number;
}

/** Writes down how attempts begin and end: which is made again, and which was the last. Called inside of a write. */
export class Attempts {
  readonly #parts: AttemptParts;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Counts a delivery that begins; false when the message has had all of its deliveries, and is dead. */
  begin(lane: ConsumerLane, message: KeptMessage, now: number): boolean {
    const { delivery } = lane.consumer;
    if (message.attempts < delivery.maxAttempts) {
      // Should the process end in the middle: the first time that says little of the message, then it waits as if it had failed.
      const { attempts } = message;
      this.#parts.rows.countAttempt(
        message.n,
        attempts === 0 ? 0 : now + backoff(delivery, attempts + 1, this.#parts.random()),
      );
      return true;
    }
    this.#bury(lane, message, message.reason ?? "the process ended during the last delivery", now);
    return false;
  }

  end({ lane, message, attempt, outcome }: InFlightDelivery, now: number): void {
    if (outcome === "done") return this.#parts.rows.remove(message);
    if (outcome === "unfinished" || outcome === undefined) {
      this.#parts.rows.giveBack(message.n, now);
      return lane.look();
    }
    if (attempt >= lane.consumer.delivery.maxAttempts)
      return this.#bury(lane, { ...message, attempts: attempt }, outcome.failed, now);
    const due = now + backoff(lane.consumer.delivery, attempt, this.#parts.random());
    this.#parts.rows.postpone(message.n, due, outcome.failed);
    lane.expect(due);
  }

  #bury(lane: ConsumerLane, message: KeptMessage, reason: string, died: number): void {
    const { rows, dead, send } = this.#parts;
    rows.remove(message);
    dead.add(lane, message, { reason, died });
    const { kind, name } = destinationOf(lane.inbox.destination);
    if (kind !== "queue" && kind !== "topic") return;
    const { traceparent } = message;
    const told = { body: deadLetter(message, reason), ...(traceparent !== undefined && { traceparent }) };
    send({ kind: "event", name: eventName(`dead.${kind}`, name) }, told);
  }
}

/** What subscribers of dead messages get. The message goes in as it is, so that its numbers keep their digits. */
function deadLetter({ id, body, attempts }: KeptMessage, reason: string): string {
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${JSON.stringify(reason)}}`;
}

/**
 * Milliseconds between a failed delivery and the next: `minBackoff` doubled for each delivery before it, and at random up to
 * half as much again, so that messages that failed together do not come back together; `maxBackoff` at most. `random` is from
 * 0 to 1.
 */
function backoff(policy: Pick<DeliveryPolicy, "minBackoff" | "maxBackoff">, attempt: number, random: number): number {
  const longest = Math.min(policy.maxBackoff, policy.minBackoff * 2 ** (attempt - 1) * 1.5);
  const shortest = Math.max(Math.min(policy.minBackoff, longest), longest / 1.5);
  return Math.round(shortest + random * (longest - shortest));
}
