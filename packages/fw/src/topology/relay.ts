import { connect, type Socket } from "node:net";
import { frames, FrameWriter, readFrames, type FrameKind } from "../service/local/relay/frames.ts";
import type { Outcome } from "./forwarding.ts";
import type { Passage } from "./passage.ts";

interface RelayOptions {
  readonly port: number;
  /** Proves to the service that this process is the front. */
  readonly token: string;
  /** Called when the connection accepts no more requests. */
  readonly onClosed: () => void;
}

/** A connection to a process of a service, which carries many concurrent requests. */
export class Relay {
  readonly writer: FrameWriter;
  readonly #socket: Socket;
  readonly #onClosed: () => void;
  readonly #passages = new Map<number, Passage>();
  /** Requests waiting for the service to accept this connection; undefined once it has. */
  #waiting: Passage[] | undefined = [];
  #lastId = 0;
  #isClosed = false;

  constructor({ port, token, onClosed }: RelayOptions) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.writer = new FrameWriter(this.#socket);
    this.#onClosed = onClosed;
    this.writer.text(frames.hello, 0, token);
    this.#socket.on("error", () => {});
    this.#socket.once("end", () => this.#socket.destroy());
    this.#socket.once("close", () => this.#lose());
    readFrames(this.#socket, (kind, id, payload) => {
      try {
        this.#take(kind, id, payload);
      } catch {
        // This response cannot be sent to its client. Keep the connection, because other requests use it.
        this.#passages.get(id)?.abandon();
      }
    });
  }

  /** Forwards a request as soon as the service has accepted this connection. */
  carry(passage: Passage): void {
    if (this.#waiting !== undefined) return void this.#waiting.push(passage);
    this.#begin(passage);
  }

  forget(id: number): void {
    this.#passages.delete(id);
  }

  /** Cuts the connection and the requests on it. */
  close(): void {
    this.#socket.destroy();
  }

  #begin(passage: Passage): void {
    do this.#lastId = (this.#lastId + 1) % 2 ** 32;
    while (this.#passages.has(this.#lastId));
    this.#passages.set(this.#lastId, passage);
    passage.begin(this, this.#lastId);
  }

  #take(kind: FrameKind, id: number, payload: Buffer): void {
    if (kind === frames.welcome) return this.#welcome();
    if (kind === frames.leaving) return this.#leave();
    const passage = this.#passages.get(id);
    if (kind !== frames.refuse) return passage?.take(kind, payload);
    this.forget(id);
    passage?.end("not received");
  }

  #welcome(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const passage of waiting) this.#begin(passage);
  }

  /** Lets the service close the connection after handling the requests it has received. */
  #leave(): void {
    this.#stopTaking();
    this.writer.signal(frames.left, 0);
  }

  #stopTaking(): void {
    if (!this.#isClosed) this.#onClosed();
    this.#isClosed = true;
    this.#endAll(this.#waiting ?? [], "not received");
    this.#waiting = [];
  }

  #lose(): void {
    this.#stopTaking();
    this.#endAll(this.#passages.values(), "cut");
    this.#passages.clear();
  }

  #endAll(passages: Iterable<Passage>, outcome: Outcome): void {
    for (const passage of passages) passage.end(outcome);
  }
}
