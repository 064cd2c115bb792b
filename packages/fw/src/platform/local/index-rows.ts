import type { Kind } from "../definitions.ts";
import { decodeFields, storedValues } from "../document.ts";
import { entryKeys } from "./index-entries.ts";
import type { StoredIndex } from "./catalog.ts";
import { encodeScalar } from "./index-key.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Documents whose entries are made with one commit. */
const filledAtOnce = 500;

/** Entries that are deleted with one commit. */
const deletedAtOnce = 5_000;

/** What the column `ready` says. */
const states = { filling: 0, ready: 1, unique: 2 } as const;

/** A row of the table of indexes. */
export interface IndexRow {
  readonly ix: number;
  /** What its entries depend on. */
  readonly identity: string;
  /** Whether every document is in it. */
  readonly ready: boolean;
  /** Whether no two documents have one value of it, which is held to from then on. */
  readonly unique: boolean;
}

/** The tables of indexes and their entries, as definitions change them. Every step is a write like others, so that others come between. */
export class IndexRows {
  readonly #database: Database;
  readonly #queue: WriteQueue;

  constructor(database: Database, queue: WriteQueue) {
    this.#database = database;
    this.#queue = queue;
  }

  all(): IndexRow[] {
    const rows = this.#database.prepare("SELECT ix, properties, ready FROM indexes").all();
    return rows.map(([ix, identity, ready]) => ({
      ix: Number(ix),
      identity: String(identity),
      ready: ready === states.ready || ready === states.unique,
      unique: ready === states.unique,
    }));
  }

  /** Makes an index without entries, which is not ready. Nothing of it is left where it fails. */
  add(kind: string, identity: string): number {
    const insert = this.#database.prepare("INSERT INTO indexes (kind, properties, ready) VALUES (?, ?, 0)");
    insert.run(kind, identity);
    return Number(this.#database.prepare("SELECT max(ix) FROM indexes").get()?.[0]);
  }

  /** Deletes an index that no write maintains any more. */
  async drop(ix: number, signal?: AbortSignal): Promise<void> {
    const unready = this.#database.prepare(`UPDATE indexes SET ready = ${states.filling} WHERE ix = ?`);
    const some = this.#database.prepare(
      "DELETE FROM entries WHERE ix = ?1 AND (key, id) IN (SELECT key, id FROM entries WHERE ix = ?1 LIMIT ?2)",
    );
    await this.#queue.write(() => unready.run(ix));
    while ((await this.#queue.write(() => some.run(ix, deletedAtOnce))) > 0) signal?.throwIfAborted();
    const row = this.#database.prepare("DELETE FROM indexes WHERE ix = ?");
    await this.#queue.write(() => row.run(ix));
  }

  /**
   * Makes the entries of every document, of indexes that writes keep up already: those of documents before the one that it has
   * come to are complete, and of those behind it some may be there.
   */
  async fill(kind: Kind, indexes: readonly StoredIndex[], signal?: AbortSignal): Promise<void> {
    const next = this.#database.prepare("SELECT id, body FROM documents WHERE kind = ? AND id > ? ORDER BY id LIMIT ?");
    const insert = this.#database.prepare("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)");
    const fillSome = (after: string): string | undefined => {
      const rows = next.all(kind.kind, after, filledAtOnce);
      for (const [id, body] of rows) {
        const values = storedValues(kind, String(id), decodeFields(String(body)));
        for (const { ix, properties } of indexes)
          for (const key of entryKeys(properties, values)) insert.run(ix, key, String(id));
      }
      return rows.length < filledAtOnce ? undefined : String(rows.at(-1)?.[0]);
    };
    for (let after: string | undefined = ""; after !== undefined;) {
      signal?.throwIfAborted();
      const from: string = after;
      after = await this.#queue.write(() => fillSome(from));
    }
  }

  /** Records that these indexes hold every document; for indexes that writes maintain until the store is closed. */
  async markReady(indexes: readonly StoredIndex[]): Promise<void> {
    const filling = new Set(this.all().flatMap(({ ix, ready }) => (ready ? [] : [ix])));
    const filled = indexes.filter(({ ix }) => filling.has(ix));
    if (filled.length === 0) return;
    const ready = this.#database.prepare(`UPDATE indexes SET ready = ${states.ready} WHERE ix = ?`);
    await this.#queue.write(() => filled.forEach(({ ix }) => ready.run(ix)));
  }

  /** Keeps whether an index that is ready is known to have each value once. */
  async keepUnique(ix: number, unique: boolean): Promise<void> {
    const set = this.#database.prepare("UPDATE indexes SET ready = ? WHERE ix = ?");
    await this.#queue.write(() => set.run(unique ? states.unique : states.ready, ix));
  }

  /** The ids of documents that have one value of an index over one property, a list for each such value but null; at most so many lists. */
  sharing(ix: number, most: number): readonly (readonly string[])[] {
    const shared = this.#database.prepare(
      "SELECT key FROM entries WHERE ix = ? AND key <> ? GROUP BY key HAVING count(*) > 1 LIMIT ?",
    );
    const ids = this.#database.prepare("SELECT id FROM entries WHERE ix = ? AND key = ? ORDER BY id LIMIT 3");
    const keys = shared.all(ix, encodeScalar(null, "asc"), most).map(([key]) => key as Uint8Array);
    return keys.map((key) => ids.all(ix, key).map(([id]) => String(id)));
  }
}
