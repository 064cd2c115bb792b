import { eventName } from "../../../lib/events.ts";
import type { DeliveryPolicy, Destination, OutgoingMessage } from "../../messages.ts";
import type { DeadLetters } from "./dead-letters.ts";
import { destinationOf } from "./inbox.ts";
import type { ConsumerLane, LocalDelivery } from "./consumer-lane.ts";
import type { StoredMessage, MessageRows } from "./rows.ts";

export interface AttemptParts {
  readonly rows: MessageRows;
  readonly dead: DeadLetters;
  /** Sends one of the framework's own messages in the same commit. */
  readonly send: (destination: Destination, message: OutgoingMessage) => void;
  /** Returns a number from 0 to 1 for the jitter of a pause. */
  readonly random: () => number;
}

/**
 * Records how attempts start and end, and decides whether to retry or dead-letter a message. Call its methods inside a
 * write.
 */
export class Attempts {
  readonly #parts: AttemptParts;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Counts an attempt before it starts. Returns false if the message had none left and was dead-lettered. */
  begin(lane: ConsumerLane, message: StoredMessage, now: number): boolean {
    const { delivery } = lane.consumer;
    if (message.attempts < delivery.maxAttempts) {
      // The due time applies if the process crashes during the delivery. A crash in the first attempt says little about
      // the message, so it is retried at once; later attempts back off as after failures.
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

  end({ lane, message, attempt, outcome }: LocalDelivery, now: number): void {
    if (outcome === "done") return this.#parts.rows.remove(message);
    if (outcome === "unfinished" || outcome === undefined) {
      this.#parts.rows.returnUnfinished(message.n, now);
      return lane.look();
    }
    if ("misfit" in outcome) return this.#parts.rows.setAside(message.n, outcome.misfit);
    if (attempt >= lane.consumer.delivery.maxAttempts)
      return this.#bury(lane, { ...message, attempts: attempt }, outcome.failed, now);
    const due = now + backoff(lane.consumer.delivery, attempt, this.#parts.random());
    this.#parts.rows.postpone(message.n, due, outcome.failed);
    lane.expect(due);
  }

  #bury(lane: ConsumerLane, message: StoredMessage, reason: string, died: number): void {
    const { rows, dead, send } = this.#parts;
    rows.remove(message);
    dead.add(lane, message, { reason, died });
    const { kind, name } = destinationOf(lane.inbox.destination);
    if (kind !== "queue" && kind !== "topic") return;
    const { traceparent } = message;
    const event = { body: deadLetterBody(message, reason), ...(traceparent !== undefined && { traceparent }) };
    send({ kind: "event", name: eventName(`dead.${kind}`, name) }, event);
  }
}

/** Returns the body of a dead-letter event. Embeds the message verbatim, so that its numbers keep all digits. */
export function deadLetterBody(
  { id, body, attempts }: Pick<StoredMessage, "id" | "body" | "attempts">,
  reason: string,
): string {
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${JSON.stringify(reason)}}`;
}

/**
 * Returns the delay in milliseconds after a failed delivery: exponential backoff from `minBackoff` up to `maxBackoff`,
 * with up to 50% jitter, so that messages that failed together spread out. `random` is from 0 to 1.
 */
export function backoff(
  policy: Pick<DeliveryPolicy, "minBackoff" | "maxBackoff">,
  attempt: number,
  random: number,
): number {
  const longest = Math.min(policy.maxBackoff, policy.minBackoff * 2 ** (attempt - 1) * 1.5);
  const shortest = Math.max(Math.min(policy.minBackoff, longest), longest / 1.5);
  return Math.round(shortest + random * (longest - shortest));
}
