import type { Delivery } from "../../messages.ts";
import { reasonOf } from "../../message.ts";
import { destinationOf } from "./inbox.ts";
import type { ConsumerLane } from "./consumer-lane.ts";
import type { KeptMessage } from "./rows.ts";

/** How a delivery ended. */
export type Outcome = "done" | "unfinished" | { readonly failed: string };

/** A delivery under way. */
export class InFlightDelivery {
  readonly lane: ConsumerLane;
  readonly message: KeptMessage;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly #abort: AbortController = new AbortController();
  readonly #ended: (delivery: InFlightDelivery) => void;
  #outcome: Outcome | undefined;
  #stopped = false;

  /** `ended` is called once, when the delivery has an outcome. */
  constructor(lane: ConsumerLane, message: KeptMessage, elapsed: number, ended: (delivery: InFlightDelivery) => void) {
    this.lane = lane;
    this.message = message;
    this.deadline = elapsed + lane.consumer.delivery.deadline;
    this.#ended = ended;
  }

  /** 1 at the first delivery. */
  get attempt(): number {
    return this.message.attempts + 1;
  }

  /** Undefined while it is under way. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Resolves when the work has ended, however it did, also after the deadline. */
  async run(deliver: (delivery: Delivery) => Promise<void>): Promise<void> {
    try {
      await deliver(this.#delivery());
      this.end("done");
    } catch (error) {
      this.end(this.#stopped ? "unfinished" : { failed: reasonOf(error) });
    }
  }

  /** Tells the work to end; when it fails now, it is unfinished. */
  stop(reason: Error): void {
    this.#stopped = true;
    this.#abort.abort(reason);
  }

  /** Ends the delivery as failed, whatever becomes of the work. */
  expire(reason: Error): void {
    this.end({ failed: reason.message });
    this.#abort.abort(reason);
  }

  /** The first outcome is the one that counts. */
  end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#ended(this);
  }

  #delivery(): Delivery {
    const { id, body, sent, traceparent } = this.message;
    const destination = destinationOf(this.lane.inbox.destination);
    const consumer = this.lane.consumer.id;
    const { signal } = this.#abort;
    return { id, consumer, destination, attempt: this.attempt, body, sent: new Date(sent), traceparent, signal };
  }
}
