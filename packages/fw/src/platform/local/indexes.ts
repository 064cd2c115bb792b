import type { Order } from "../contract.ts";
import type { Kind, Kinds } from "../definitions.ts";
import { storedValues } from "../document.ts";
import { decodeFields } from "../encode.ts";
import { entryKeys } from "./index-entries.ts";
import type { Database } from "./sqlite.ts";

/** An index of the store. */
export interface StoredIndex {
  /** Its number in the table of entries. */
  readonly ix: number;
  readonly properties: readonly Order[];
}

/** Documents that are indexed between two breaths of the event loop. */
const chunk = 500;

/** The indexes that the definitions ask for, and their upkeep when the definitions change. */
export class Indexes {
  readonly #database: Database;
  #byKind = new Map<string, StoredIndex[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The indexes of a kind. */
  of(kind: string): readonly StoredIndex[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** The index over exactly these properties. */
  find(kind: string, properties: readonly Order[]): StoredIndex {
    const found = this.of(kind).find((index) => sameProperties(index.properties, properties));
    if (found === undefined) throw new Error(`${kind} has no index over ${JSON.stringify(properties)}`);
    return found;
  }

  /** Deletes the indexes that are no longer asked for and fills the new ones from the documents. No write may run. */
  async define(kinds: Kinds): Promise<void> {
    const wanted = new Map([...kinds.values()].flatMap(wantedIndexes).map((index) => [index.identity, index]));
    for (const [ix, identity, ready] of this.#stored()) {
      if (ready && wanted.has(identity)) continue;
      await this.#drop(ix);
    }
    const have = new Map(this.#stored().map(([ix, identity]) => [identity, ix]));
    this.#byKind = new Map([...kinds.keys()].map((kind) => [kind, []]));
    const added = new Map<Kind, StoredIndex[]>();
    for (const { kind, properties, identity } of wanted.values()) {
      const index = { ix: have.get(identity) ?? this.#add(kind.kind, identity), properties };
      this.#byKind.get(kind.kind)?.push(index);
      if (!have.has(identity)) added.set(kind, [...(added.get(kind) ?? []), index]);
    }
    for (const [kind, indexes] of added) await this.#fill(kind, indexes);
  }

  #stored(): [ix: number, identity: string, ready: boolean][] {
    const rows = this.#database.prepare("SELECT ix, properties, ready FROM indexes").all();
    return rows.map(([ix, identity, ready]) => [Number(ix), String(identity), ready === 1]);
  }

  #add(kind: string, identity: string): number {
    this.#database.prepare("INSERT INTO indexes (kind, properties, ready) VALUES (?, ?, 0)").run(kind, identity);
    return Number(this.#database.prepare("SELECT max(ix) FROM indexes").get()?.[0]);
  }

  async #drop(ix: number): Promise<void> {
    this.#database.prepare("UPDATE indexes SET ready = 0 WHERE ix = ?").run(ix);
    const some = this.#database.prepare(
      "DELETE FROM entries WHERE ix = ?1 AND (key, id) IN (SELECT key, id FROM entries WHERE ix = ?1 LIMIT ?2)",
    );
    while (some.run(ix, chunk * 10) > 0) await breath();
    this.#database.prepare("DELETE FROM indexes WHERE ix = ?").run(ix);
  }

  async #fill(kind: Kind, indexes: readonly StoredIndex[]): Promise<void> {
    const next = this.#database.prepare("SELECT id, body FROM documents WHERE kind = ? AND id > ? ORDER BY id LIMIT ?");
    const insert = this.#database.prepare("INSERT INTO entries VALUES (?, ?, ?)");
    for (let id = ""; ; await breath()) {
      const rows = next.all(kind.kind, id, chunk).map((row) => ({ id: String(row[0]), body: String(row[1]) }));
      if (rows.length === 0) break;
      this.#database.exec("BEGIN IMMEDIATE");
      for (const row of rows) {
        const values = storedValues(kind, decodeFields(row.body));
        for (const { ix, properties } of indexes)
          for (const key of entryKeys(properties, values)) insert.run(ix, key, row.id);
      }
      this.#database.exec("COMMIT");
      id = rows.at(-1)?.id ?? "";
    }
    for (const { ix } of indexes) this.#database.prepare("UPDATE indexes SET ready = 1 WHERE ix = ?").run(ix);
  }
}

interface WantedIndex {
  readonly kind: Kind;
  readonly properties: readonly Order[];
  /** What the entries depend on. */
  readonly identity: string;
}

function wantedIndexes(kind: Kind): WantedIndex[] {
  const single = [...kind.indexed.keys()].map((property): Order[] => [{ property, direction: "asc" }]);
  return [...single, ...kind.composites.map((index) => index.properties)].map((properties) => {
    const parts = properties.map((order) => [order.property, order.direction, kind.indexed.get(order.property)?.many]);
    return { kind, properties, identity: JSON.stringify([kind.kind, parts]) };
  });
}

function sameProperties(left: readonly Order[], right: readonly Order[]): boolean {
  return (
    left.length === right.length &&
    left.every((order, i) => order.property === right[i]?.property && order.direction === right[i].direction)
  );
}

function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
