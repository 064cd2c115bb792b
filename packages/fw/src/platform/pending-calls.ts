import { UnderWay } from "../lib/under-way.ts";
import { closedError } from "./errors.ts";

/** Tracks the calls that a platform waits for when it closes. */
export class PendingCalls {
  readonly #calls = new UnderWay();
  #closed = false;

  async during<T>(call: () => Promise<T>): Promise<T> {
    this.refuseIfClosed();
    return this.#calls.use(call);
  }

  refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }

  /** Rejects new calls, and resolves when all pending ones have settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#calls.idle;
  }
}
