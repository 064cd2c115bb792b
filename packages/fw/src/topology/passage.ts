import type { Exchange, TakenOver } from "../runtime/exchange/exchange.ts";
import { CreditMeter, frames, type FrameKind, relayWindow } from "../service/local/relay/frames.ts";
import { readResponseHead, writeRequestHead, type ResponseHead } from "../service/local/relay/heads.ts";
import { announcesBody, type Outcome } from "./forwarding.ts";
import type { Relay } from "./relay.ts";
import { SentBody } from "./sent-body.ts";

/** A client's request on its way to a process of a service, and the response on its way back. */
export class Passage {
  readonly #exchange: Exchange;
  readonly #head: string;
  readonly #body: SentBody | undefined;
  /** The methods for the Allow header, instead of the service's own. */
  readonly #allow: readonly string[] | undefined;
  #relay: Relay | undefined = undefined;
  #id = 0;
  #resolve: (outcome: Outcome) => void = () => {};
  /** True while the client reads its response too slowly. */
  #isFull = false;
  /** The bytes of the response that the client has not received. */
  #pendingBytes = 0;
  #consumed: CreditMeter | undefined = undefined;
  #joined: JoinedConnection | undefined = undefined;

  constructor(exchange: Exchange, rawHeaders: readonly string[], allow: readonly string[] | undefined) {
    const { method, target, version } = exchange;
    const hasBody = announcesBody(exchange);
    this.#exchange = exchange;
    this.#allow = allow;
    this.#body = hasBody ? new SentBody(exchange) : undefined;
    const body = hasBody ? (exchange.waitsToSend ? "awaited" : "sent") : exchange.takeOver ? "upgrade" : "none";
    this.#head = writeRequestHead({ body, method, target, version, rawHeaders });
  }

  /** Sends the request. Resolves when the attempt is over. */
  through(relay: Relay): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      relay.carry(this);
    });
  }

  /** Starts an attempt, which `id` identifies in frames. */
  begin(relay: Relay, id: number): void {
    this.#relay = relay;
    this.#id = id;
    if (!this.#exchange.isOpen) return this.#finish();
    this.#exchange.onGone(this.#leave);
    relay.writer.text(frames.request, id, this.#head);
    this.#body?.begin(relay.writer, id);
  }

  /** Ends the attempt after an invalid frame, such as a response that cannot be sent. */
  abandon(): void {
    this.#relay?.writer.signal(frames.cut, this.#id);
    this.#relay?.forget(this.#id);
    this.end("cut");
  }

  /**
   * Ends the attempt early with `outcome`; with `over` if the client is gone or its response has begun and must be cut.
   */
  end(outcome: Outcome): void {
    this.#exchange.offGone(this.#leave);
    this.#joined?.destroy();
    if (this.#exchange.hasBegun) this.#exchange.cut();
    this.#resolve(this.#exchange.isOpen ? outcome : "over");
  }

  take(kind: FrameKind, payload: Buffer): void {
    if (this.#joined !== undefined) this.#joined.take(kind, payload);
    else if (kind === frames.respond) this.#respond(payload);
    else if (kind === frames.begin) this.#beginResponse(payload);
    else if (kind === frames.data) this.#write(payload);
    else if (kind === frames.end) this.#endResponse();
    else if (kind === frames.flush) this.#exchange.flush();
    else if (kind === frames.credit) this.#body?.addCredit(payload.readUInt32BE(0));
    else if (kind === frames.continue) this.#body?.ask();
    else if (kind === frames.cut) this.#cut();
    else if (kind === frames.takeOver) this.#takeOver();
  }

  /** Tells the service that the client has disconnected. */
  readonly #leave = (): void => {
    this.#relay?.writer.signal(frames.cut, this.#id);
    this.#finish();
  };

  #respond(payload: Buffer): void {
    const end = 4 + payload.readUInt32BE(0);
    const { status, encoding, rawHeaders } = this.#openResponse(payload.toString("latin1", 4, end));
    const bytes = payload.subarray(end);
    this.#endBody();
    if (encoding === "") this.#exchange.send(status, rawHeaders, bytes);
    else this.#exchange.send(status, rawHeaders, bytes.toString(encoding), encoding);
    this.#finish();
  }

  #beginResponse(payload: Buffer): void {
    const { status, rawHeaders } = this.#openResponse(payload.toString("latin1"));
    this.#exchange.begin(status, rawHeaders);
    if (isEventStream(rawHeaders)) this.#endWithFront();
  }

  #openResponse(text: string): ResponseHead {
    const head = readResponseHead(text);
    if (head.isLast) this.#exchange.closeAfter();
    if (this.#allow !== undefined) replaceAllow(head.rawHeaders, this.#allow);
    return head;
  }

  #write(chunk: Buffer): void {
    const keepsUp = this.#exchange.write(chunk);
    this.#pendingBytes += chunk.length;
    if (keepsUp && !this.#isFull) return this.#consume();
    if (this.#isFull) return;
    this.#isFull = true;
    this.#exchange.onceDrained(() => {
      this.#isFull = false;
      this.#consume();
    });
  }

  #consume(): void {
    if (this.#relay === undefined) return;
    (this.#consumed ??= new CreditMeter(this.#relay.writer, this.#id)).add(this.#pendingBytes);
    this.#pendingBytes = 0;
  }

  #endResponse(): void {
    this.#endBody();
    this.#exchange.end();
    this.#finish();
  }

  /** Tells the service that the rest of an unfinished body will not arrive. */
  #endBody(): void {
    if (this.#body?.hasEnded === false) this.#relay?.writer.signal(frames.cut, this.#id);
  }

  #cut(): void {
    this.#exchange.cut();
    this.#finish();
  }

  /** Takes over the client's connection and ends the attempt. A stopping service notifies such clients itself. */
  #takeOver(): void {
    const relay = this.#relay as Relay;
    const client = this.#exchange.takeOver?.();
    if (client === undefined) return this.abandon();
    this.#exchange.offGone(this.#leave);
    this.#joined = new JoinedConnection(client, relay, this.#id);
    this.#resolve("over");
  }

  /** Ends an endless response when the front stops. To the service, this looks like a client that disconnects. */
  #endWithFront(): void {
    const off = this.#exchange.onDrain(() => {
      this.#leave();
      this.#exchange.end();
    });
    this.#exchange.onceOver(off);
  }

  #finish(): void {
    this.#exchange.offGone(this.#leave);
    this.#body?.stop();
    this.#relay?.forget(this.#id);
    this.#relay = undefined;
    this.#resolve("over");
  }
}

function isEventStream(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some(
    (value, i) => i % 2 === 1 && value === "text/event-stream" && rawHeaders[i - 1]?.toLowerCase() === "content-type",
  );
}

function replaceAllow(rawHeaders: string[], methods: readonly string[]): void {
  const index = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === "allow");
  if (index >= 0) rawHeaders[index + 1] = methods.join(", ");
}

/** A client's connection that no longer speaks HTTP, joined to a service in both directions with backpressure. */
class JoinedConnection {
  readonly #stream: TakenOver["stream"];
  readonly #relay: Relay;
  readonly #id: number;
  readonly #consumed: CreditMeter;
  /** The bytes that may be sent before the service consumes any. */
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
