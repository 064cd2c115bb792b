import type { TakenOver } from "../runtime/exchange/exchange.ts";
import { CreditMeter, frames, relayWindow, type FrameKind } from "../service/local/relay/frames.ts";
import type { Relay } from "./relay.ts";

/** A client's connection that no longer speaks HTTP, joined to a service in both directions with backpressure. */
export class JoinedConnection {
  readonly #stream: TakenOver["stream"];
  readonly #relay: Relay;
  readonly #id: number;
  readonly #consumed: CreditMeter;
  /** The bytes that may be sent before the service consumes some. */
  #credit = relayWindow;

  constructor({ stream, head }: TakenOver, relay: Relay, id: number) {
    this.#stream = stream;
    this.#relay = relay;
    this.#id = id;
    this.#consumed = new CreditMeter(relay.writer, id);
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => this.#send(chunk));
    stream.once("end", () => relay.writer.signal(frames.end, id));
    stream.once("close", () => {
      relay.writer.signal(frames.cut, id);
      relay.forget(id);
    });
    if (head.length > 0) this.#send(head);
  }

  /** Handles a frame of the service. */
  take(kind: FrameKind, payload: Buffer): void {
    if (kind === frames.data) this.#stream.write(payload, () => this.#consumed.add(payload.length));
    else if (kind === frames.end) this.#stream.end();
    else if (kind === frames.cut) this.destroy();
    else if (kind === frames.credit) this.#addCredit(payload.readUInt32BE(0));
  }

  destroy(): void {
    this.#stream.destroy();
  }

  #send(chunk: Uint8Array): void {
    this.#relay.writer.bytes(frames.data, this.#id, chunk);
    this.#credit -= chunk.length;
    if (this.#credit <= 0) this.#stream.pause();
  }

  #addCredit(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#stream.resume();
  }
}
