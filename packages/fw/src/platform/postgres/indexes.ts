import { SerialQueue } from "../../lib/serial-queue.ts";
import type { Kind, Kinds } from "../definitions.ts";
import { closedError, PlatformError } from "../errors.ts";
import { FillPace } from "../fill-pace.ts";
import { indexesOf } from "../required-indexes.ts";
import type { RegistrySource } from "./commit.ts";
import type { Connections, WriteSql } from "./connections.ts";
import type { IndexFill } from "../contract.ts";
import { fillIndexes, sharedValues } from "./index-fill.ts";
import { Locks } from "./locks.ts";
import { Registry } from "./registry.ts";

/** Milliseconds after which an unused index is deleted. A rollback before then needs no new fill. */
const unusedMs = 24 * 3_600_000;

/** The number of entries of a deleted index to remove per commit. */
const removedAtOnce = 5_000;

/** Receivers of messages for operators. */
export interface IndexReports {
  /** Receives warnings about documents that do not match the current definitions. */
  readonly warn: (sentence: string) => void;
  /** Receives progress messages about long fills. */
  readonly note: (sentence: string) => void;
}

/** Prepared indexes. Call `commit` at most once. */
export interface PreparedIndexes {
  /** Makes every machine enforce `Unique` according to these definitions, for writes that start after the call. */
  commit(): Promise<void>;
}

/** Returns a message that names a kind with a missing or unfilled index; undefined if all indexes are filled. */
export function missingIndex(registry: Registry, kinds: Kinds): string | undefined {
  for (const kind of kinds.values())
    if (indexesOf(kind).some(({ identity }) => registry.get(identity)?.isFilled !== true))
      return `an index of ${kind.kind} is missing or not complete`;
  return undefined;
}

/** The indexes that this process uses, and its copy of the registry of all indexes. */
export class Indexes implements RegistrySource {
  readonly #connections: Connections;
  readonly #reports: IndexReports;
  readonly #changes = new SerialQueue();
  #registry: Registry;
  #settled: Promise<void> = Promise.resolve();
  #kinds: Kinds = new Map();
  #isClosed = false;

  private constructor(connections: Connections, registry: Registry, reports: IndexReports) {
    this.#connections = connections;
    this.#registry = registry;
    this.#reports = reports;
  }

  static async open(connections: Connections, reports: IndexReports): Promise<Indexes> {
    return new Indexes(connections, await Registry.read(connections), reports);
  }

  get current(): Registry {
    return this.#registry;
  }

  /** Returns the progress of all machines' fills, including interrupted ones. */
  async fills(): Promise<readonly IndexFill[]> {
    const registry = await Registry.read(this.#connections);
    const rows = await this.#connections.runRepeatable(
      `SELECT i.identity, i.kind, count(d.id) FILTER (WHERE d.id <= i.filled_to) AS done,
         count(d.id) FILTER (WHERE d.id > i.filled_to) AS remaining
       FROM @@indexes i LEFT JOIN @@documents d ON d.kind = i.kind WHERE i.state = 0 GROUP BY i.ix ORDER BY i.ix`,
    );
    return rows.map(({ identity, kind, done, remaining }) => {
      const { properties = [] } = registry.get(String(identity)) ?? {};
      return { kind: String(kind), properties, done: Number(done), remaining: Number(remaining) };
    });
  }

  /** Resolves when the pending commit of definitions, if any, has taken effect or failed. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  async reload(): Promise<Registry> {
    return (this.#registry = await Registry.read(this.#connections));
  }

  /**
   * Creates and fills the indexes of definitions. Every machine maintains them once they are registered. A later call
   * on any machine resumes an unfinished fill. Without the owner's role, only checks that all are filled.
   */
  prepare(kinds: Kinds, signal?: AbortSignal): Promise<PreparedIndexes> {
    return this.#changes.run(async () => {
      this.#refuseIfClosed();
      signal?.throwIfAborted();
      if (!this.#connections.isOwner) return this.#prepared(kinds);
      await this.#dropUnused();
      await this.#register([...kinds.values()]);
      await this.#fill([...kinds.values()], signal);
      return { commit: () => this.#commit(kinds) };
    });
  }

  /** Records that this process still uses its indexes. With the owner's role, also recreates deleted ones. */
  async refresh(): Promise<void> {
    await this.#changes.run(async () => {
      const kinds = [...this.#kinds.values()];
      if (this.#isClosed || kinds.length === 0) return;
      if (!this.#connections.isOwner) return this.#keep(kinds);
      await this.#register(kinds);
      await this.#fill(kinds, undefined);
    });
  }

  /** Stops a running fill. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changes.run(async () => {});
  }

  /**
   * Checks that all indexes are filled, and loads their registry. Used without the owner's role: the migration has
   * created the indexes and marked the unique ones.
   */
  async #prepared(kinds: Kinds): Promise<PreparedIndexes> {
    const registry = await this.reload();
    const missing = missingIndex(registry, kinds);
    if (missing !== undefined) throw new PlatformError("data", missing);
    const commit = async (): Promise<void> => void (this.#kinds = kinds);
    return { commit };
  }

  async #keep(kinds: readonly Kind[]): Promise<void> {
    const identities = kinds.flatMap((kind) => indexesOf(kind).map(({ identity }) => identity));
    await this.#connections.runRepeatable("SELECT @@keep($1, '{}', '{}')", [identities]);
    await this.reload();
  }

  #commit(kinds: Kinds): Promise<void> {
    this.#kinds = kinds;
    const committed = this.#changes.run(() => this.#guard([...kinds.values()]));
    this.#settled = committed.catch(() => {});
    return committed;
  }

  /** Registers the kinds' missing indexes, and marks all of their indexes as used. */
  async #register(kinds: readonly Kind[]): Promise<void> {
    const neededIndexes = kinds.flatMap((kind) =>
      indexesOf(kind).map(({ identity }) => ({ kind: kind.kind, identity })),
    );
    const names = [neededIndexes.map(({ kind }) => kind), neededIndexes.map(({ identity }) => identity)];
    await this.#change(async (sql) => {
      const { nowSql } = this.#connections;
      const added = await sql.rows(
        `INSERT INTO @@indexes (kind, identity, state, guarded, wanted)
         SELECT w.kind, w.identity, 0, false, ${nowSql} FROM unnest($1::text[], $2::text[]) AS w(kind, identity)
         WHERE NOT EXISTS (SELECT FROM @@indexes i WHERE i.identity = w.identity AND i.state < 2) RETURNING ix`,
        names,
      );
      await sql.rows(
        `UPDATE @@indexes SET wanted = ${nowSql} WHERE state < 2 AND identity = ANY ($1::text[]) RETURNING ix`,
        [names[1] ?? []],
      );
      return added.length > 0;
    });
  }

  async #fill(kinds: readonly Kind[], signal: AbortSignal | undefined): Promise<void> {
    for (const kind of kinds) {
      const fresh = indexesOf(kind).flatMap(({ identity }) => {
        const index = this.#registry.get(identity);
        return index === undefined || index.isFilled ? [] : [index.ix];
      });
      if (fresh.length === 0) continue;
      const check = (): void => {
        this.#refuseIfClosed();
        signal?.throwIfAborted();
      };
      const fill = { kind: kind.kind, indexes: fresh, pace: new FillPace(), check, signal };
      await fillIndexes(this.#connections, this, { ...fill, note: this.#reports.note });
      await this.#change(async (sql) => {
        const filled = "UPDATE @@indexes SET state = 1 WHERE state = 0 AND ix = ANY ($1::integer[]) RETURNING ix";
        return (await sql.rows(filled, [fresh])).length > 0;
      });
    }
  }

  /** Records which properties are unique, and warns about values that several documents share. */
  async #guard(kinds: readonly Kind[]): Promise<void> {
    const guards = kinds.flatMap((kind) =>
      indexesOf(kind).flatMap(({ identity, properties: [first, more] }) => {
        const isUnique = first !== undefined && kind.indexed.get(first.property)?.unique === true;
        const isGuarded = more === undefined && isUnique;
        return this.#registry.get(identity)?.isGuarded === isGuarded ? [] : [{ kind, identity, isGuarded, first }];
      }),
    );
    if (guards.length === 0) return;
    await this.#change(async (sql) => {
      const values = [guards.map(({ identity }) => identity), guards.map(({ isGuarded }) => isGuarded)];
      await sql.rows(
        `UPDATE @@indexes i SET guarded = g.guarded FROM unnest($1::text[], $2::boolean[]) AS g(identity, guarded)
         WHERE i.identity = g.identity AND i.state < 2`,
        values,
      );
      return true;
    });
    for (const { kind, identity, isGuarded, first } of guards) {
      const index = isGuarded ? this.#registry.get(identity) : undefined;
      if (index === undefined) continue;
      for (const sentence of await sharedValues(this.#connections, index.ix, kind.kind, first?.property ?? ""))
        this.#reports.warn(sentence);
    }
  }

  /** Deletes indexes that no machine has used for a day. */
  async #dropUnused(): Promise<void> {
    const { nowSql } = this.#connections;
    await this.#change(async (sql) => {
      const unused = `UPDATE @@indexes SET state = 2 WHERE state < 2 AND wanted < ${nowSql} - ${unusedMs} RETURNING ix`;
      return (await sql.rows(unused)).length > 0;
    });
    const dropped = await this.#connections.runRepeatable("SELECT ix FROM @@indexes WHERE state = 2");
    for (const { ix } of dropped) await this.#remove(Number(ix));
  }

  async #remove(ix: number): Promise<void> {
    for (let isDone = false; !isDone;) {
      this.#refuseIfClosed();
      isDone = await this.#connections.write("", async (sql) => {
        const some = `DELETE FROM @@entries WHERE ix = $1 AND head IN
          (SELECT head FROM @@entries WHERE ix = $1 LIMIT ${removedAtOnce}) RETURNING 1`;
        const removed = await sql.rows(some, [ix]);
        if (removed.length === 0) await sql.rows("DELETE FROM @@indexes WHERE ix = $1", [ix]);
        return removed.length === 0;
      });
    }
  }

  /** Changes the registry while no machine has a commit in progress. Later commits notice the new epoch. */
  async #change(work: (sql: WriteSql) => Promise<boolean>): Promise<void> {
    await this.#connections.write(
      new Locks(this.#connections.address.schema).exclusive("registry").sql,
      async (sql) => {
        if (await work(sql)) await sql.rows("UPDATE @@numbers SET value = value + 1 WHERE name = 'epoch'");
      },
    );
    await this.reload();
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw closedError();
  }
}
