import type { BodyReader, Exchange } from "../runtime/exchange/exchange.ts";
import { frames, relayWindow, type FrameWriter } from "../service/local/relay/frames.ts";

/** Sends the body of a client's request to a service, as fast as the service consumes it. */
export class SentBody implements BodyReader {
  readonly #exchange: Exchange;
  #writer: FrameWriter | undefined = undefined;
  #id = 0;
  /** The bytes that may be sent before the service consumes any. */
  #credit = relayWindow;
  /** The parts already sent, which another process may need; undefined once the service accepts the request. */
  #sent: Buffer[] | undefined = [];
  #isReading = false;
  /** True if the whole body was sent. */
  hasEnded = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Starts an attempt. If the client is waiting to send the body, reads it only after `ask`. */
  begin(writer: FrameWriter, id: number): void {
    this.#writer = writer;
    this.#id = id;
    for (const chunk of this.#sent ?? []) writer.bytes(frames.data, id, chunk);
    if (this.#isReading && this.hasEnded) writer.signal(frames.end, id);
    else if (!this.#exchange.waitsToSend) this.#read();
  }

  /** Asks the client for the body with 100-continue, then sends the body to the service. */
  ask(): void {
    this.#sent = undefined;
    this.#exchange.ask();
    this.#read();
  }

  addCredit(bytes: number): void {
    this.#sent = undefined;
    const wasPaused = this.#credit <= 0;
    this.#credit += bytes;
    if (wasPaused && this.#credit > 0) this.#exchange.resume();
  }

  take(chunk: Buffer): void {
    if (this.#writer === undefined) return;
    this.#writer.bytes(frames.data, this.#id, chunk);
    this.#sent?.push(chunk);
    this.#credit -= chunk.length;
    if (this.#credit <= 0) this.#exchange.pause();
  }

  /**
   * Tells the service that the body is complete. Ignores an incomplete body: `onGone` reports that the client
   * disconnected.
   */
  end(isWhole: boolean): void {
    if (!isWhole) return;
    this.hasEnded = true;
    this.#writer?.signal(frames.end, this.#id);
  }

  /** Discards the rest of the body. The client may send another request after it. */
  stop(): void {
    this.#writer = undefined;
    this.#sent = undefined;
    if (this.#credit <= 0) this.#exchange.resume();
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#exchange.read(this);
  }
}
