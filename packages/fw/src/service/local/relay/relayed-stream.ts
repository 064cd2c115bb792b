import { Duplex } from "node:stream";
import type { Exchange } from "../../../runtime/exchange/exchange.ts";

/** The client's connection after a request has taken it over. */
export class RelayedStream extends Duplex {
  readonly #exchange: Exchange;
  #isReading = false;

  constructor(exchange: Exchange) {
    super({ allowHalfOpen: true });
    this.#exchange = exchange;
    exchange.onGone(() => this.destroy());
  }

  override _read(): void {
    if (this.#isReading) return this.#exchange.resume();
    this.#isReading = true;
    this.#exchange.read({
      take: (chunk) => {
        if (!this.push(chunk)) this.#exchange.pause();
      },
      end: (isWhole) => void (isWhole ? this.push(null) : this.destroy()),
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#exchange.write(chunk)) done();
    else this.#exchange.onceDrained(done);
  }

  override _final(done: () => void): void {
    this.#exchange.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#exchange.cut();
    done(error);
  }
}
