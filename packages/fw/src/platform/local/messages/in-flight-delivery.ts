import type { Delivery } from "../../messages.ts";
import { isMisfit } from "../../misfit.ts";
import { reasonOf } from "../../message.ts";
import { destinationOf } from "./inbox.ts";
import type { ConsumerLane } from "./consumer-lane.ts";
import type { StoredMessage } from "./rows.ts";

export type Outcome = "done" | "unfinished" | { readonly failed: string } | { readonly misfit: string };

export class InFlightDelivery {
  readonly lane: ConsumerLane;
  readonly message: StoredMessage;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly #abort: AbortController = new AbortController();
  readonly #onEnd: (delivery: InFlightDelivery) => void;
  #outcome: Outcome | undefined;
  #stopped = false;

  /** `onEnd` is called once, when the delivery has an outcome. */
  constructor(
    lane: ConsumerLane,
    message: StoredMessage,
    elapsed: number,
    onEnd: (delivery: InFlightDelivery) => void,
  ) {
    this.lane = lane;
    this.message = message;
    this.deadline = elapsed + lane.consumer.delivery.deadline;
    this.#onEnd = onEnd;
  }

  /** Starts at 1. */
  get attempt(): number {
    return this.message.attempts + 1;
  }

  /** Undefined while it is in flight. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Resolves when the work has ended in any way, even after the deadline. */
  async run(deliver: (delivery: Delivery) => Promise<void>): Promise<void> {
    try {
      await deliver(this.#delivery());
      this.end("done");
    } catch (error) {
      if (this.#stopped) this.end("unfinished");
      else this.end(isMisfit(error) ? { misfit: reasonOf(error) } : { failed: reasonOf(error) });
    }
  }

  /** Aborts the work; if it then fails, the delivery is unfinished. */
  stop(reason: Error): void {
    this.#stopped = true;
    this.#abort.abort(reason);
  }

  /** Ends the delivery as failed, regardless of the work. */
  expire(reason: Error): void {
    this.end({ failed: reason.message });
    this.#abort.abort(reason);
  }

  /** Only the first outcome counts. */
  end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#onEnd(this);
  }

  #delivery(): Delivery {
    const { id, body, sent, traceparent } = this.message;
    const destination = destinationOf(this.lane.inbox.destination);
    const consumer = this.lane.consumer.id;
    const { signal } = this.#abort;
    return { id, consumer, destination, attempt: this.attempt, body, sent: new Date(sent), traceparent, signal };
  }
}
