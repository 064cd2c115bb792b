import { isMisfit } from "../../misfit.ts";
import { reasonOf } from "../../message.ts";
import type { Consumer, Delivery } from "../../messages.ts";
import { destinationOf, type Inbox } from "../../local/messages/inbox.ts";

/** A message that this process has claimed. */
export interface ClaimedMessage {
  readonly n: number;
  /** The number of the claim. */
  readonly held: string;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
  /** Deliveries that have begun, this one included. */
  readonly attempts: number;
  /** The failure of the last delivery; undefined if it did not end. */
  readonly reason: string | undefined;
  readonly body: string;
  readonly traceparent: string | undefined;
}

/** How a delivery ended. `lost`: another machine may have the message. */
export type Outcome = "done" | "unfinished" | "lost" | { readonly failed: string } | { readonly misfit: string };

/** A delivery under way in this process. */
export class ClaimedDelivery {
  readonly inbox: Inbox;
  readonly consumer: Consumer;
  readonly message: ClaimedMessage;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly #abort = new AbortController();
  readonly #ended: (delivery: ClaimedDelivery) => void;
  #outcome: Outcome | undefined;
  #isStopped = false;

  /** `ended` is called once, when the delivery has an outcome. */
  constructor(
    { inbox, consumer }: { readonly inbox: Inbox; readonly consumer: Consumer },
    message: ClaimedMessage,
    elapsed: number,
    ended: (delivery: ClaimedDelivery) => void,
  ) {
    this.inbox = inbox;
    this.consumer = consumer;
    this.message = message;
    this.deadline = elapsed + consumer.delivery.deadline;
    this.#ended = ended;
  }

  /** Undefined while it is under way. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Resolves when the handler has ended, also after the deadline. */
  async run(deliver: (delivery: Delivery) => Promise<void>): Promise<void> {
    try {
      await deliver(this.#delivery());
      this.end("done");
    } catch (error) {
      if (this.#isStopped) this.end("unfinished");
      else this.end(isMisfit(error) ? { misfit: reasonOf(error) } : { failed: reasonOf(error) });
    }
  }

  /** Aborts the handler's signal; a failure after that counts as unfinished. */
  stop(reason: Error): void {
    this.#isStopped = true;
    this.#abort.abort(reason);
  }

  /** Ends the delivery, whatever becomes of the handler. */
  giveUp(outcome: Outcome, reason: Error): void {
    this.end(outcome);
    this.#abort.abort(reason);
  }

  /** The first outcome is the one that counts. */
  end(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#ended(this);
  }

  #delivery(): Delivery {
    const { id, attempts, body, sent, traceparent } = this.message;
    const destination = destinationOf(this.inbox.destination);
    const { signal } = this.#abort;
    const common = { id, consumer: this.consumer.id, destination, body, sent: new Date(sent), signal };
    return { ...common, attempt: attempts, ...(traceparent !== undefined && { traceparent }) };
  }
}
