import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "./connections.ts";
import type { DriverClient } from "./driver.ts";

/** Milliseconds before a lost listening connection is reopened. */
const reconnectMs = 1_000;

/**
 * Interval between checks of the listening connection in milliseconds: a silently broken one delivers no notifications.
 */
const checkMs = 5_000;

/** The maximum number of bytes of the schema's name in a channel's name. */
const schemaBytes = 50;

interface Subscription {
  readonly onNotify: (payload: string) => void;
  /** Called when the connection starts to listen, because earlier notifications may have been missed. */
  readonly onListen: () => void;
}

/**
 * A process's connection for LISTEN, opened by the first subscription. Through a pooler in transaction mode it does not
 * listen.
 */
export class Listener {
  readonly #connections: Connections;
  readonly #over = new AbortController();
  readonly #subscriptions = new Map<string, Subscription>();
  #client: DriverClient | undefined;
  #running: Promise<void> | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  get canListen(): boolean {
    return !this.#connections.address.isPooled;
  }

  /** Starts listening on a channel. Does nothing if it already listens or cannot listen. */
  subscribe(name: string, subscription: Subscription): void {
    if (!this.canListen || this.#subscriptions.has(name) || this.#over.signal.aborted) return;
    this.#subscriptions.set(name, subscription);
    if (this.#running === undefined) this.#running = this.#run();
    else if (this.#client !== undefined) void this.#listen(this.#client, name).catch(() => {});
  }

  /**
   * Returns a channel's name in the database. PostgreSQL allows 63 bytes, so schemas with the same prefix may share a
   * channel, which only causes unnecessary reads.
   */
  channelOf(name: string): string {
    return `${this.#connections.address.schema.slice(0, schemaBytes)}_${name}`;
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#client?.end().catch(() => {});
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#connectOnce().catch(() => {});
      this.#client = undefined;
      await this.#pause(reconnectMs);
    }
  }

  async #connectOnce(): Promise<void> {
    const client = await this.#connections.connect();
    const end = new Promise<void>((resolve) => client.on("end", resolve));
    this.#client = client;
    client.on("notification", ({ channel, payload = "" }) => {
      for (const [name, { onNotify }] of this.#subscriptions) if (channel === this.channelOf(name)) onNotify(payload);
    });
    try {
      for (const name of this.#subscriptions.keys()) await this.#listen(client, name);
      if (this.#over.signal.aborted) return;
      await Promise.race([end, this.#check(client)]);
    } finally {
      void client.end().catch(() => {});
    }
  }

  async #listen(client: DriverClient, name: string): Promise<void> {
    await client.query(`LISTEN "${this.channelOf(name)}"`);
    this.#subscriptions.get(name)?.onListen();
  }

  /** Resolves when the connection no longer responds, or the listener closes. */
  async #check(client: DriverClient): Promise<void> {
    for (;;) {
      await this.#pause(checkMs);
      if (this.#over.signal.aborted) return;
      const late = this.#pause(checkMs).then(() => false);
      const answers = client.query("SELECT 1").then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([answers, late]))) return;
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { ref: false, signal: this.#over.signal }).catch(() => {});
  }
}
