import type { IndexFill } from "../contract.ts";
import type { Kind } from "../definitions.ts";
import { decodeFields, storedValues } from "../document.ts";
import { entryKeys } from "./index-entries.ts";
import type { FillPace } from "../fill-pace.ts";
import type { StoredIndex } from "./catalog.ts";
import { encodeScalar } from "./index-key.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Documents to index in one commit, for a store that nothing else uses. */
const fillBatch = 500;

/** Milliseconds between two reports of a fill. */
const reportMs = 60_000;

/** Entries to delete in one commit. */
const deleteBatch = 5_000;

/** Values of the column `ready`. */
const states = { filling: 0, ready: 1, unique: 2 } as const;

/** The prefix of `ready` for an index that is being filled; the id up to which it is complete follows. */
const positionMark = "to:";

/** The course of a fill: its pace, and where it continues. */
export interface FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** Leaves time for requests; absent for a store that nothing else uses. */
  readonly pace?: FillPace | undefined;
  /** Continues a fill after this id. */
  readonly position?: string | undefined;
}

export interface IndexRow {
  readonly ix: number;
  /** Everything that the entries depend on. */
  readonly identity: string;
  /** Whether it contains every document. */
  readonly ready: boolean;
  /** The id up to which the fill is complete; absent if nothing is known to be indexed. */
  readonly position?: string;
  /** Whether it has no duplicates and enforces uniqueness. */
  readonly unique: boolean;
}

/**
 * The tables of indexes and their entries. Each step is a separate write, so that other writes can run between them.
 */
export class IndexRows {
  readonly #database: Database;
  readonly #queue: WriteQueue;
  /** Receives a sentence about the progress of long fills. */
  readonly #note: (sentence: string) => void;
  #reportedAt: number | undefined;
  /** The fill in progress, with the documents that it has indexed. */
  #running: { readonly kind: string; readonly indexes: readonly StoredIndex[]; done: number } | undefined;

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

  /** Inserts an empty index that is not ready. */
  add(kind: string, identity: string): number {
    const insert = this.#database.prepare("INSERT INTO indexes (kind, properties, ready) VALUES (?, ?, 0)");
    insert.run(kind, identity);
    return Number(this.#database.prepare("SELECT max(ix) FROM indexes").get()?.[0]);
  }

  /** Deletes an index that no write maintains. */
  async drop(ix: number, signal?: AbortSignal): Promise<void> {
    const unready = this.#database.prepare(`UPDATE indexes SET ready = ${states.filling} WHERE ix = ?`);
    const some = this.#database.prepare(
      "DELETE FROM entries WHERE ix = ?1 AND (key, id) IN (SELECT key, id FROM entries WHERE ix = ?1 LIMIT ?2)",
    );
    await this.#queue.write(() => unready.run(ix));
    while ((await this.#queue.write(() => some.run(ix, deleteBatch))) > 0) signal?.throwIfAborted();
    const row = this.#database.prepare("DELETE FROM indexes WHERE ix = ?");
    await this.#queue.write(() => row.run(ix));
  }

  /**
   * Creates the entries of every document, in indexes that writes already maintain. Works in id order: entries of
   * earlier documents are complete, those of later ones may exist in part. Each commit records its position.
   */
  async fill(
    kind: Kind,
    indexes: readonly StoredIndex[],
    { signal, pace, position = "" }: FillOptions = {},
  ): Promise<void> {
    const next = this.#database.prepare("SELECT id, body FROM documents WHERE kind = ? AND id > ? ORDER BY id LIMIT ?");
    const insert = this.#database.prepare("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)");
    const record = this.#database.prepare("UPDATE indexes SET ready = ? WHERE ix = ?");
    const fillSome = (after: string, limit: number): string | undefined => {
      const rows = next.all(kind.kind, after, limit);
      for (const [id, body] of rows) {
        const values = storedValues(kind, String(id), decodeFields(String(body)));
        for (const { ix, properties } of indexes)
          for (const key of entryKeys(properties, values)) insert.run(ix, key, String(id));
      }
      const last = rows.at(-1)?.[0];
      if (last !== undefined) for (const { ix } of indexes) record.run(`${positionMark}${String(last)}`, ix);
      return rows.length < limit ? undefined : String(last);
    };
    this.#running = { kind: kind.kind, indexes, done: 0 };
    try {
      for (let after: string | undefined = position; after !== undefined;) {
        signal?.throwIfAborted();
        const from: string = after;
        const limit = pace?.batchSize ?? fillBatch;
        const started = performance.now();
        after = await this.#queue.write(() => fillSome(from, limit));
        if (after === undefined) return;
        this.#running.done += limit;
        this.#report(kind, this.#running.done);
        await pace?.pause(performance.now() - started, signal);
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** The indexes that are being filled. */
  get fills(): readonly IndexFill[] {
    const { kind = "", indexes = [], done = 0 } = this.#running ?? {};
    return indexes.map(({ properties }) => ({ kind, properties, done }));
  }

  /**
   * Discards the positions of fills, because writes will no longer maintain these indexes. Takes effect before it
   * returns.
   */
  forgetPositions(indexes: readonly StoredIndex[]): void {
    const forget = this.#database.prepare(
      `UPDATE indexes SET ready = ${states.filling} WHERE ix = ? AND typeof(ready) = 'text'`,
    );
    for (const { ix } of indexes) forget.run(ix);
  }

  /** Reports the progress of a long fill every minute. Counting the remaining documents would block the process. */
  #report({ kind }: Kind, documents: number): void {
    const now = performance.now();
    this.#reportedAt ??= now;
    if (now - this.#reportedAt < reportMs) return;
    this.#reportedAt = now;
    this.#note(`an index of ${kind} is being filled: ${documents} documents since the start`);
  }

  /** Marks indexes as complete; writes must maintain them until the store is closed. */
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

  /**
   * Returns the ids of documents that share a value in a single-property index: up to `most` lists, one for each shared
   * value except null.
   */
  sharing(ix: number, limit: number): readonly (readonly string[])[] {
    const sharedKeys = this.#database.prepare(
      "SELECT key FROM entries WHERE ix = ? AND key <> ? GROUP BY key HAVING count(*) > 1 LIMIT ?",
    );
    const ids = this.#database.prepare("SELECT id FROM entries WHERE ix = ? AND key = ? ORDER BY id LIMIT 3");
    const keys = sharedKeys.all(ix, encodeScalar(null, "asc"), limit).map(([key]) => key as Uint8Array);
    return keys.map((key) => ids.all(ix, key).map(([id]) => String(id)));
  }
}
