import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "../connections.ts";
import type { DriverClient } from "../driver.ts";

/** Milliseconds before a lost listening connection is reopened. */
const reconnectMs = 1_000;

/**
 * NOTIFY and LISTEN, so that a message starts at once on another machine. Only an acceleration: every machine also looks by
 * itself. Through a pooler in transaction mode nothing listens, unless the address names a direct connection.
 */
export class Wakeups {
  readonly #connections: Connections;
  readonly #wake: () => void;
  readonly #over = new AbortController();
  #client: DriverClient | undefined;
  #listening: Promise<void> | undefined;
  #notifying = false;
  #isAsked = false;

  constructor(connections: Connections, wake: () => void) {
    this.#connections = connections;
    this.#wake = wake;
  }

  /** Listens from now on. */
  listen(): void {
    if (!this.#connections.address.isPooled) this.#listening ??= this.#listen();
  }

  /** Wakes other machines, outside of transactions. Concurrent notifications are combined. */
  notify(): void {
    this.#isAsked = true;
    if (!this.#notifying) void this.#notify();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#client?.end().catch(() => {});
    await this.#listening;
  }

  get #channel(): string {
    return `${this.#connections.address.schema}_messages`;
  }

  async #notify(): Promise<void> {
    this.#notifying = true;
    while (this.#isAsked && !this.#over.signal.aborted) {
      this.#isAsked = false;
      await this.#connections.read("SELECT pg_notify($1, '')", [this.#channel]).catch(() => {});
    }
    this.#notifying = false;
  }

  async #listen(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#listenOnce().catch(() => {});
      await wait(reconnectMs, undefined, { ref: false, signal: this.#over.signal }).catch(() => {});
    }
  }

  async #listenOnce(): Promise<void> {
    const client = await this.#connections.connect();
    const ended = new Promise<void>((resolve) => client.on("end", resolve));
    this.#client = client;
    client.on("notification", () => this.#wake());
    await client.query(`LISTEN "${this.#channel}"`);
    // Messages may have been sent before this connection listened.
    this.#wake();
    if (this.#over.signal.aborted) await client.end();
    await ended;
  }
}
