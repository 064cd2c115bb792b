import type { Connections } from "../connections.ts";

const channel = "messages";

/**
 * Wakes other machines with NOTIFY and LISTEN, so that a message starts there immediately. This is only an
 * optimization, because every machine also polls.
 */
export class Wakeups {
  readonly #connections: Connections;
  readonly #wake: () => void;
  #isClosed = false;
  #notifying = false;
  #isAsked = false;

  constructor(connections: Connections, wake: () => void) {
    this.#connections = connections;
    this.#wake = wake;
  }

  /**
   * Wakes this process on each notification, and whenever it starts to listen, because messages may have been sent
   * before.
   */
  listen(): void {
    this.#connections.listener.subscribe(channel, { onNotify: this.#wake, onListen: this.#wake });
  }

  /** Wakes other machines, outside of transactions. Merges concurrent notifications into one. */
  notify(): void {
    this.#isAsked = true;
    if (!this.#notifying) void this.#notify();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #notify(): Promise<void> {
    this.#notifying = true;
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false;
      await this.#connections
        .runRepeatable("SELECT pg_notify($1, '')", [this.#connections.listener.channelOf(channel)])
        .catch(() => {});
    }
    this.#notifying = false;
  }
}
