import type { Clock, Key } from "../contract.ts";
import { deleteProofs } from "./commit-proof.ts";
import type { Connections } from "./connections.ts";
import type { PostgresEntities } from "./entities.ts";
import type { Indexes } from "./indexes.ts";
import type { PostgresLeases } from "./leases.ts";
import type { PostgresMessages } from "./messages/messages.ts";
import type { PostgresObjects } from "./objects/objects.ts";

/** Milliseconds between two rounds. */
const roundMs = 60_000;

/** The number of documents that one commit deletes. */
const expiredAtOnce = 50;

interface HousekeepingParts {
  readonly connections: Connections;
  readonly entities: PostgresEntities;
  readonly leases: PostgresLeases;
  readonly objects: PostgresObjects;
  readonly indexes: Indexes;
  readonly messages: PostgresMessages;
  readonly clock: Clock;
}

/**
 * Runs every minute. Records what this machine uses, and deletes expired data; one machine at a time does the latter.
 */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run().catch(() => {}), roundMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async run(): Promise<void> {
    const { connections, indexes, messages } = this.#parts;
    await connections.during(async () => {
      await messages.refresh();
      await indexes.refresh();
      await this.#clean();
    });
  }

  async #clean(): Promise<void> {
    const { leases, objects } = this.#parts;
    const lease = await leases.acquire("_fw housekeeping", roundMs);
    if (lease === undefined) return;
    try {
      while ((await this.#deleteExpired()) === expiredAtOnce) await lease.renew(roundMs);
      while (await objects.removeFiles()) await lease.renew(roundMs);
      await deleteProofs(this.#parts.connections);
    } finally {
      await lease.release();
    }
  }

  /** Deletes a batch of expired documents; returns their number. */
  async #deleteExpired(): Promise<number> {
    const { connections, entities, clock } = this.#parts;
    const rows = await connections.read(
      `SELECT kind, id, version FROM @@documents WHERE expires <= $1 ORDER BY expires LIMIT ${expiredAtOnce}`,
      [clock.now()],
    );
    let deleted = 0;
    for (const row of rows) {
      const key: Key = { kind: String(row["kind"]), id: String(row["id"]) };
      if (await entities.deleteExpired(key, String(row["version"]))) deleted += 1;
    }
    return deleted;
  }
}
