import { isA } from "../lib/thrown.ts";
import { DeadlinePassed, DeliveryReturned } from "./deadline.ts";
import { reasonOf } from "./message.ts";
import type { Consumer, Delivery } from "./messages.ts";
import { isMisfit } from "./misfit.ts";

/** How a delivery ended; `unfinished` if it was interrupted, which does not count as an attempt. */
export type Outcome = "done" | "unfinished" | { readonly failed: string } | { readonly misfit: string };

interface DeliveryStart<Lane, Message> {
  /** The lane that schedules the consumer's messages. */
  readonly lane: Lane;
  readonly message: Message;
  /** Starts at 1. */
  readonly attempt: number;
  /** The start time on the monotonic clock. */
  readonly elapsed: number;
}

interface StoredMessage extends Pick<Delivery, "id" | "body" | "traceparent"> {
  /** Milliseconds since 1970. */
  readonly sent: number;
}

/** A delivery in this process. `Special` is the type of outcomes that only one platform has. */
export class InFlightDelivery<
  Lane extends { readonly consumer: Consumer },
  Message extends StoredMessage,
  Special = never,
> {
  readonly lane: Lane;
  readonly consumer: Consumer;
  readonly message: Message;
  readonly attempt: number;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly #abort: AbortController = new AbortController();
  readonly #onEnd: (delivery: InFlightDelivery<Lane, Message, Special>) => void;
  #outcome: Outcome | Special | undefined;
  #isStopped = false;

  /** Calls `onEnd` once, when the delivery has an outcome. */
  constructor(
    { lane, message, attempt, elapsed }: DeliveryStart<Lane, Message>,
    onEnd: (delivery: InFlightDelivery<Lane, Message, Special>) => void,
  ) {
    this.lane = lane;
    this.consumer = lane.consumer;
    this.message = message;
    this.attempt = attempt;
    this.deadline = elapsed + lane.consumer.delivery.deadline;
    this.#onEnd = onEnd;
  }

  /** Undefined while it is in flight. */
  get outcome(): Outcome | Special | undefined {
    return this.#outcome;
  }

  /**
   * Runs the handler and ends the delivery with its outcome. Resolves when the handler has settled, even after the
   * deadline.
   */
  async run(deliver: (delivery: Delivery) => Promise<void>): Promise<void> {
    try {
      await deliver(this.#delivery());
      this.end("done");
    } catch (error) {
      if (this.#isStopped || isA(error, DeliveryReturned)) this.end("unfinished");
      else this.end(isMisfit(error) ? { misfit: reasonOf(error) } : { failed: reasonOf(error) });
    }
  }

  /** Aborts the handler's signal. If the handler then fails, the delivery is unfinished. */
  stop(reason: Error): void {
    this.#isStopped = true;
    this.#abort.abort(reason);
  }

  /** Fails the delivery if its deadline has passed on the monotonic clock. */
  expire(elapsed: number): void {
    if (this.deadline > elapsed) return;
    const passed = new DeadlinePassed(this.consumer.delivery.deadline);
    this.giveUp({ failed: passed.message }, passed);
  }

  /** Ends the delivery without waiting for the handler. */
  giveUp(outcome: Outcome | Special, reason: Error): void {
    this.end(outcome);
    this.#abort.abort(reason);
  }

  /** Ends the delivery with an outcome. Only the first outcome has an effect. */
  end(outcome: Outcome | Special): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#onEnd(this);
  }

  #delivery(): Delivery {
    const { id, body, sent, traceparent } = this.message;
    const { id: consumer, destination } = this.consumer;
    const { signal } = this.#abort;
    return { id, consumer, destination, attempt: this.attempt, body, sent: new Date(sent), traceparent, signal };
  }
}
