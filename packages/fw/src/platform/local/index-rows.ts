import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexFill } from "../contract.ts";
import type { Kind } from "../definitions.ts";
import type { FillPace } from "../fill-pace.ts";
import type { StoredIndex } from "./catalog.ts";
import { copyUnreadLog } from "./empty-log.ts";
import type { FillSteps } from "./fill-steps.ts";
import type { SharedSearch } from "./shared-values.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/**
 * The minimum time between two copies of the log into the store, as a multiple of a copy's duration and in
 * milliseconds. Copying keeps the log short, so that the commit of a request never has to copy a long one. Each copy
 * waits for the disk, so copies are rare.
 */
const checkpointFactor = 400;
const checkpointMs = 200;

/** The prefix of `ready` for an unfinished index; the position of its fill follows. */
const positionMark = "to:";

/** Interval between progress reports in milliseconds. */
const reportMs = 60_000;

/** The number of entries to delete per commit in a store that nothing else is using. */
const deleteBatch = 5_000;

const states = { filling: 0, ready: 1, unique: 2 } as const;

/** Settings for a fill. */
export interface FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** Leaves time for requests; absent for a store that nothing else is using. */
  readonly pace?: FillPace | undefined;
  /** The id after which to resume an earlier fill. */
  readonly position?: string | undefined;
}

export interface IndexRow {
  readonly ix: number;
  /** Text that contains everything the entries depend on. */
  readonly identity: string;
  /** Whether the index contains every document. */
  readonly ready: boolean;
  /** The id after which an unfinished fill resumes; absent if it starts over. */
  readonly position?: string;
  /** Whether the index has no duplicates and enforces uniqueness. */
  readonly unique: boolean;
}

/**
 * The tables of indexes and their entries. Each step of a fill or deletion is a separate write, so that other writes
 * can run in between.
 */
export class IndexRows {
  readonly #database: Database;
  readonly #queue: WriteQueue;
  /** Receives progress messages about long fills. */
  readonly #note: (sentence: string) => void;
  #reportedAt: number | undefined;
  /** When to copy the log again, on the clock of `performance.now`. */
  #checkpointDue = 0;
  #running: { readonly kind: string; readonly indexes: readonly StoredIndex[]; readonly steps: FillSteps } | undefined;

  constructor(database: Database, queue: WriteQueue, note: (sentence: string) => void = () => {}) {
    this.#database = database;
    this.#queue = queue;
    this.#note = note;
  }

  all(): IndexRow[] {
    const rows = this.#database.prepare("SELECT ix, properties, ready FROM indexes").all();
    return rows.map(([ix, identity, ready]) => ({
      ix: Number(ix),
      identity: String(identity),
      ready: ready === states.ready || ready === states.unique,
      unique: ready === states.unique,
      ...(typeof ready === "string" && { position: ready.slice(positionMark.length) }),
    }));
  }

  /** Adds an empty index that is not ready, and returns its number. */
  add(kind: string, identity: string): number {
    const insert = this.#database.prepare("INSERT INTO indexes (kind, properties, ready) VALUES (?, ?, 0)");
    insert.run(kind, identity);
    return Number(this.#database.prepare("SELECT max(ix) FROM indexes").get()?.[0]);
  }

  /** Deletes an index that no write maintains, with its entries in batches. */
  async drop(ix: number, { signal, pace }: FillOptions = {}): Promise<void> {
    const unready = this.#database.prepare(`UPDATE indexes SET ready = ${states.filling} WHERE ix = ?`);
    const some = this.#database.prepare(
      "DELETE FROM entries WHERE ix = ?1 AND (key, id) IN (SELECT key, id FROM entries WHERE ix = ?1 LIMIT ?2)",
    );
    await this.#queue.write(() => unready.run(ix));
    for (let deleted = 1; deleted > 0;) {
      signal?.throwIfAborted();
      const started = performance.now();
      deleted = this.#queue.writeUnsynced(() => some.run(ix, pace?.limit.documents ?? deleteBatch));
      await this.#pause(started, { signal, pace });
    }
    const row = this.#database.prepare("DELETE FROM indexes WHERE ix = ?");
    await this.#queue.write(() => row.run(ix));
  }

  /**
   * Adds the entries of every document to indexes that new writes already update. Works in id order and records its
   * position after each batch: documents before it have all entries, later ones may have some.
   */
  async fill(kind: Kind, indexes: readonly StoredIndex[], { signal, pace, position }: FillOptions = {}): Promise<void> {
    const { FillSteps, fastStep } = await import("./fill-steps.ts");
    const steps = new FillSteps(this.#database, kind, indexes, position);
    this.#running = { kind: kind.kind, indexes, steps };
    try {
      while (!steps.isDone) {
        signal?.throwIfAborted();
        const started = performance.now();
        const limit = pace?.limit ?? fastStep;
        if (steps.isCollected) this.#queue.writeUnsynced(() => this.#recordPosition(indexes, steps.insert(limit)));
        else steps.collect(limit);
        this.#report(kind, steps.documents);
        await this.#pause(started, { signal, pace });
      }
    } finally {
      this.#running = undefined;
      steps.end();
    }
  }

  #recordPosition(indexes: readonly StoredIndex[], position: string | undefined): void {
    if (position === undefined) return;
    const record = this.#database.prepare("UPDATE indexes SET ready = ? WHERE ix = ?");
    for (const { ix } of indexes) record.run(`${positionMark}${position}`, ix);
  }

  /** Discards a waiting entry that a write removes. Must run inside the transaction of the write. */
  withdraw(ix: number, key: Buffer, id: string): void {
    if (this.#running?.indexes.some((index) => index.ix === ix)) this.#running.steps.withdraw(ix, key, id);
  }

  /** Pauses after a step, so that requests can run. With a pace, also copies the log into the store now and then. */
  async #pause(started: number, { signal, pace }: FillOptions): Promise<void> {
    if (pace === undefined) {
      await nextTurn();
      return;
    }
    await pace.pause(performance.now() - started, signal);
    const checkpointStarted = performance.now();
    if (checkpointStarted < this.#checkpointDue) return;
    copyUnreadLog(this.#database);
    const now = performance.now();
    this.#checkpointDue = now + Math.max(checkpointMs, (now - checkpointStarted) * checkpointFactor);
    await pace.pause(now - checkpointStarted, signal);
  }

  get fills(): readonly IndexFill[] {
    const { kind = "", indexes = [], steps } = this.#running ?? {};
    return indexes.map(({ properties }) => ({ kind, properties, done: steps?.documents ?? 0 }));
  }

  /**
   * Discards the positions of fills, because writes will no longer maintain these indexes. Takes effect synchronously.
   */
  forgetPositions(indexes: readonly StoredIndex[]): void {
    const forget = this.#database.prepare(
      `UPDATE indexes SET ready = ${states.filling} WHERE ix = ? AND typeof(ready) = 'text'`,
    );
    for (const { ix } of indexes) forget.run(ix);
  }

  /** Reports a long fill's progress every minute. Counting the remaining documents would block the process. */
  #report({ kind }: Kind, documents: number): void {
    const now = performance.now();
    this.#reportedAt ??= now;
    if (now - this.#reportedAt < reportMs) return;
    this.#reportedAt = now;
    this.#note(`an index of ${kind} is being filled: ${documents} documents since the start`);
  }

  /** Marks indexes as complete. From now on, writes must maintain them until the store is closed. */
  async markReady(indexes: readonly StoredIndex[]): Promise<void> {
    const filling = new Set(this.all().flatMap(({ ix, ready }) => (ready ? [] : [ix])));
    const pending = indexes.filter(({ ix }) => filling.has(ix));
    if (pending.length === 0) return;
    const ready = this.#database.prepare(`UPDATE indexes SET ready = ${states.ready} WHERE ix = ?`);
    await this.#queue.write(() => pending.forEach(({ ix }) => ready.run(ix)));
  }

  /** Records whether a ready index is known to be unique. */
  async setUnique(ix: number, unique: boolean): Promise<void> {
    const set = this.#database.prepare("UPDATE indexes SET ready = ? WHERE ix = ?");
    await this.#queue.write(() => set.run(unique ? states.unique : states.ready, ix));
  }

  /** Finds values that several documents share; see `shared-values.ts`. */
  async sharedValues(ix: number, search: SharedSearch): Promise<readonly (readonly string[])[]> {
    const { sharedValues } = await import("./shared-values.ts");
    return sharedValues(this.#database, ix, search);
  }
}
