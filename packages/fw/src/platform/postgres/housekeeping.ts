import type { Clock, Key } from "../contract.ts";
import type { Connections } from "./connections.ts";
import type { PostgresEntities } from "./entities.ts";
import type { Indexes } from "./indexes.ts";
import type { PostgresLeases } from "./leases.ts";
import type { PostgresMessages } from "./messages/messages.ts";
import type { PostgresObjects } from "./objects/objects.ts";
import { tickKind } from "../tick-kind.ts";

/** Interval between rounds in milliseconds. */
const roundMs = 60_000;

/** The number of documents to delete per commit. */
const expiredAtOnce = 50;

interface HousekeepingParts {
  readonly connections: Connections;
  readonly entities: PostgresEntities;
  readonly leases: PostgresLeases;
  readonly objects: PostgresObjects;
  readonly indexes: Indexes;
  readonly messages: PostgresMessages;
  readonly clock: Clock;
  /** The name of the lease that lets only one machine at a time delete data. */
  readonly lease: string;
}

/** Selects documents that a server without the owner's role may delete. Policies hide other servers' ticks. */
const ownKinds = `kind = '${tickKind}' OR kind IN (
  SELECT json_array_elements_text(r.access::json -> 'kinds') FROM @@service_roles r WHERE r.role = current_user)`;

/**
 * Records every minute that the indexes and consumers of this machine are in use. Deletes expired data unless another
 * machine does.
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
    const { leases, objects, connections, lease: name } = this.#parts;
    const lease = await leases.acquire(name, roundMs);
    if (lease === undefined) return;
    try {
      while ((await this.#deleteExpired()) === expiredAtOnce) await lease.renew(roundMs);
      while (await objects.removeFiles()) await lease.renew(roundMs);
      await connections.runRepeatable("SELECT @@delete_proofs()");
    } finally {
      await lease.release();
    }
  }

  async #deleteExpired(): Promise<number> {
    const { connections, entities, clock } = this.#parts;
    const rows = await connections.runRepeatable(
      `SELECT kind, id, version FROM @@documents WHERE expires <= $1 AND (${connections.isOwner ? "true" : ownKinds})
       ORDER BY expires LIMIT ${expiredAtOnce}`,
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
