import type { Body, BodyReader } from "../../../runtime/exchange/exchange.ts";
import type { CreditMeter } from "./frames.ts";

/** A body that arrives in chunks, with backpressure. */
export class RelayedBody implements Body {
  readonly #consumed: CreditMeter;
  readonly #chunks: Buffer[] = [];
  #reader: BodyReader | undefined = undefined;
  #isPaused = false;
  #isDelivering = false;
  /** Whether the complete body arrived; undefined until it ends. */
  #isWhole: boolean | undefined;
  #isEndDelivered = false;

  constructor(isEmpty: boolean, consumed: CreditMeter) {
    this.#isWhole = isEmpty ? true : undefined;
    this.#consumed = consumed;
  }

  get isComplete(): boolean {
    return this.#isWhole === true;
  }

  get hasEnded(): boolean {
    return this.#isWhole !== undefined;
  }

  get isOpen(): boolean {
    return this.#isWhole !== false;
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    this.resume();
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Continues in a later tick, because a reader does not expect chunks before `read` returns. */
  resume(): void {
    this.#isPaused = false;
    process.nextTick(() => this.#deliver());
  }

  add(chunk: Buffer): void {
    if (this.hasEnded) return;
    this.#chunks.push(chunk);
    this.#deliver();
  }

  /** Ends the body: either it is complete or the client has disconnected. */
  end(isWhole: boolean): void {
    if (this.hasEnded) return;
    this.#isWhole = isWhole;
    if (!isWhole) this.#chunks.length = 0;
    this.#deliver();
  }

  #deliver(): void {
    if (this.#reader === undefined || this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      this.#deliverChunks();
      if (this.#isEndDelivered || this.#isWhole === undefined || this.#chunks.length > 0) return;
      // A paused reader is notified of a disconnect, but not of a complete body.
      if (this.#isPaused && this.#isWhole) return;
      this.#isEndDelivered = true;
      this.#reader.end(this.#isWhole);
    } finally {
      this.#isDelivering = false;
    }
  }

  #deliverChunks(): void {
    while (!this.#isPaused) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) return;
      this.#reader?.take(chunk);
      this.#consumed.add(chunk.length);
    }
  }
}
