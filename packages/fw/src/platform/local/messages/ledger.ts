import type { Carrier } from "../../messages.ts";
import { backoff } from "./backoff.ts";
import type { DeadLetters } from "./dead-letters.ts";
import type { Flight } from "./flight.ts";
import { carrierOf } from "./inbox.ts";
import type { Lane } from "./lane.ts";
import type { KeptMessage, MessageRows } from "./rows.ts";

/** Writes down how deliveries begin and end. Called inside of a write. */
export class Ledger {
  readonly #rows: MessageRows;
  readonly #dead: DeadLetters;
  readonly #send: (carrier: Carrier, body: string) => void;

  /** `send` keeps a message of the framework's own. */
  constructor(rows: MessageRows, dead: DeadLetters, send: (carrier: Carrier, body: string) => void) {
    this.#rows = rows;
    this.#dead = dead;
    this.#send = send;
  }

  /** Counts a delivery that begins; false when the message has had all of its deliveries, and is dead. */
  begin(lane: Lane, message: KeptMessage, now: number): boolean {
    const { delivery } = lane.receiver;
    if (message.attempts < delivery.maxAttempts) {
      // Should the process end in the middle: the first time that says little of the message, then it waits as if it had failed.
      this.#rows.countAttempt(message.n, message.attempts === 0 ? 0 : now + backoff(delivery, message.attempts + 1));
      return true;
    }
    this.#bury(lane, message, message.reason ?? "the process ended during the last delivery", now);
    return false;
  }

  end({ lane, message, attempt, outcome }: Flight, now: number): void {
    if (outcome === "done") return this.#rows.remove(message.n);
    if (outcome === "unfinished" || outcome === undefined) {
      this.#rows.giveBack(message.n, now);
      return lane.look();
    }
    if (attempt >= lane.receiver.delivery.maxAttempts)
      return this.#bury(lane, { ...message, attempts: attempt }, outcome.failed, now);
    const due = now + backoff(lane.receiver.delivery, attempt);
    this.#rows.postpone(message.n, due, outcome.failed);
    lane.expect(due);
  }

  #bury({ inbox, receiver }: Lane, message: KeptMessage, reason: string, died: number): void {
    this.#rows.remove(message.n);
    this.#dead.add({ ...message, receiver: receiver.id, carrier: inbox.carrier, reason, died });
    const { kind, name } = carrierOf(inbox.carrier);
    if (kind === "queue" || kind === "topic")
      this.#send({ kind: "event", name: `dead.${kind}:${name}` }, deadLetter(message, reason));
  }
}

/** What subscribers of dead messages get. The message goes in as it is, so that its numbers keep their digits. */
function deadLetter({ id, body, attempts }: KeptMessage, reason: string): string {
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${JSON.stringify(reason)}}`;
}
