import { UnderWay } from "../lib/under-way.ts";
import { closedError } from "./errors.ts";

/** What a platform waits for when it is closed. */
export class CallsUnderWay {
  readonly #calls = new UnderWay();
  #closed = false;

  async during<T>(call: () => Promise<T>): Promise<T> {
    this.refuseIfClosed();
    return this.#calls.use(call);
  }

  refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }

  /** Nothing more begins; resolves when all of it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#calls.idle;
  }
}
