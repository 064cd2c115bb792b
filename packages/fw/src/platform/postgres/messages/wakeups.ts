import type { Connections } from "../connections.ts";

const channel = "messages";

/**
 * NOTIFY and LISTEN, so that a message starts at once on another machine. Only an acceleration: every machine also
 * looks by itself.
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

  /** Listens from now on. Messages may have been sent before the connection listens. */
  listen(): void {
    this.#connections.listener.subscribe(channel, { onNotify: this.#wake, onListen: this.#wake });
  }

  /** Wakes other machines, outside of transactions. Concurrent notifications are combined. */
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
        .read("SELECT pg_notify($1, '')", [this.#connections.listener.channelOf(channel)])
        .catch(() => {});
    }
    this.#notifying = false;
  }
}
