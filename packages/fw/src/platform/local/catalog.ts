import { SerialQueue } from "../../lib/serial-queue.ts";
import type { Order } from "../contract.ts";
import { kindOf } from "../definitions.ts";
import type { Kind, Kinds } from "../definitions.ts";
import { PlatformError } from "../errors.ts";
import type { PlatformErrorCode } from "../errors.ts";
import type { IndexRows } from "./index-rows.ts";

/** Values of which it is told that several documents have them, for each property. */
const toldValues = 20;

/** An index of the store. */
export interface StoredIndex {
  /** Its number in the table of entries. */
  readonly ix: number;
  readonly properties: readonly Order[];
  /** What the entries depend on. */
  readonly identity: string;
}

/** Indexes whose entries are made of the values that one definition sees in a document. */
export interface KeptIndexes {
  readonly kind: Kind;
  readonly indexes: readonly StoredIndex[];
}

/** What is known of one kind. */
interface Entry {
  /** Whose queries are answered and whose documents are taken: what is defined now, then what was before. */
  readonly defined: readonly Kind[];
  /** Every index that a write keeps up, also those that are being filled. */
  readonly kept: readonly KeptIndexes[];
}

/**
 * The kinds and their indexes. They change in one step while others read and write: from then on every write keeps up the
 * indexes of before and of now, and once the new ones are filled, queries are answered by them. Code of before may still be at
 * work, so what was defined stays defined until the store is closed, and comes second.
 */
export class Catalog {
  readonly #rows: IndexRows;
  readonly #changes: SerialQueue = new SerialQueue();
  /** The indexes of each definition in the entries. */
  readonly #indexes = new WeakMap<Kind, readonly StoredIndex[]>();
  #entries: ReadonlyMap<string, Entry> = new Map();

  /** Is told a sentence of each value that is to be one document's, and is not. */
  readonly #warn: (sentence: string) => void;

  constructor(rows: IndexRows, warn: (sentence: string) => void = () => {}) {
    this.#rows = rows;
    this.#warn = warn;
  }

  /** Fails with `document` unless there is a kind of this name. */
  check(name: string): void {
    if (!this.#entries.get(name)?.defined.length) kindOf(new Map(), name);
  }

  /**
   * What the work makes of the kind as it is defined now; where that refuses with one of these codes, of what was defined before.
   * It fails as the definition of now does.
   */
  first<T>(name: string, codes: readonly PlatformErrorCode[], work: (kind: Kind) => T): T {
    const [now, ...before] = this.#entries.get(name)?.defined ?? [];
    if (now === undefined) return work(kindOf(new Map(), name));
    try {
      return work(now);
    } catch (error) {
      if (!(error instanceof PlatformError && codes.includes(error.code))) throw error;
      for (const kind of before) {
        const given = attempt(() => work(kind));
        if (given !== undefined) return given.result;
      }
      throw error;
    }
  }

  /** The kind as it is defined now. */
  newest(name: string): Kind | undefined {
    return this.#entries.get(name)?.defined[0];
  }

  /** The indexes that a write of this kind keeps up. */
  kept(name: string): readonly KeptIndexes[] {
    return this.#entries.get(name)?.kept ?? [];
  }

  /** The index of a definition over exactly these properties. */
  find(kind: Kind, properties: readonly Order[]): StoredIndex {
    const found = this.#indexes.get(kind)?.find((index) => sameProperties(index.properties, properties));
    if (found === undefined) throw new Error(`${kind.kind} has no index over ${JSON.stringify(properties)}`);
    return found;
  }

  /**
   * Takes other definitions. Where it fails everything is as it was before. The first definitions of an open store also delete the
   * indexes that nobody asks for.
   */
  define(kinds: Kinds): Promise<void> {
    return this.#changes.run(() => this.#define([...kinds.values()]));
  }

  async #define(kinds: readonly Kind[]): Promise<void> {
    await this.#dropUseless(kinds);
    const before = this.#entries;
    const added = this.#keepUp(kinds);
    try {
      for (const { kind, indexes } of added) await this.#rows.fill(kind, indexes);
    } catch (error) {
      this.#entries = before;
      throw error;
    }
    this.#serve(kinds);
    await this.#lookForShared(kinds);
  }

  /** What documents had before their values were to be unique is looked for once, and told for as long as there is some. */
  async #lookForShared(kinds: readonly Kind[]): Promise<void> {
    const known = new Map(this.#rows.all().map((row) => [row.ix, row.unique]));
    for (const kind of kinds) {
      for (const { ix, properties } of this.#indexes.get(kind) ?? []) {
        const [{ property } = { property: "" }, more] = properties;
        const guarded = more === undefined && kind.indexed.get(property)?.unique === true;
        if (guarded === known.get(ix)) continue;
        const shared = guarded ? this.#rows.sharing(ix, toldValues) : [];
        for (const ids of shared) this.#warn(sharedSentence(kind.kind, property, ids));
        if (shared.length === 0) await this.#rows.keepUnique(ix, guarded);
      }
    }
  }

  /** Deletes the indexes that no write keeps up, but for those that are whole and asked for. */
  async #dropUseless(kinds: readonly Kind[]): Promise<void> {
    const kept = new Set([...this.#entries.values()].flatMap(indexesIn).map(({ ix }) => ix));
    const wanted = new Set(kinds.flatMap(wantedIndexes).map(({ identity }) => identity));
    for (const { ix, identity, ready } of this.#rows.all())
      if (!kept.has(ix) && !(ready && wanted.has(identity))) await this.#rows.drop(ix);
  }

  /** Lets every write keep up the indexes of these kinds, too, and gives those that are to be filled. In one step. */
  #keepUp(kinds: readonly Kind[]): KeptIndexes[] {
    const numbers = new Map(this.#rows.all().map(({ identity, ix }) => [identity, ix]));
    const entries = new Map(this.#entries);
    const added: KeptIndexes[] = [];
    for (const kind of kinds) {
      const fresh: StoredIndex[] = [];
      const indexes = wantedIndexes(kind).map(({ identity, properties }): StoredIndex => {
        const ix = numbers.get(identity);
        const index = { ix: ix ?? this.#rows.add(kind.kind, identity), properties, identity };
        if (ix === undefined) fresh.push(index);
        return index;
      });
      this.#indexes.set(kind, indexes);
      if (fresh.length > 0) added.push({ kind, indexes: fresh });
      const defined = entries.get(kind.kind)?.defined ?? [];
      entries.set(kind.kind, { defined, kept: this.#keptOf([kind, ...defined]) });
    }
    this.#entries = entries;
    return added;
  }

  /** Lets queries be answered as these kinds are defined. */
  #serve(kinds: readonly Kind[]): void {
    const entries = new Map(this.#entries);
    for (const kind of kinds) {
      const others = (entries.get(kind.kind)?.defined ?? []).filter((other) => !isSame(other, kind));
      const defined = [kind, ...others];
      entries.set(kind.kind, { defined, kept: this.#keptOf(defined) });
    }
    this.#entries = entries;
  }

  /** Each index once, with the newest definition that has it. */
  #keptOf(definitions: readonly Kind[]): KeptIndexes[] {
    const seen = new Set<string>();
    return definitions.flatMap((kind) => {
      const indexes = (this.#indexes.get(kind) ?? []).filter(({ identity }) => !seen.has(identity));
      for (const { identity } of indexes) seen.add(identity);
      return indexes.length === 0 ? [] : [{ kind, indexes }];
    });
  }
}

function sharedSentence(kind: string, property: string, ids: readonly string[]): string {
  const named = ids.map((id) => JSON.stringify(id)).join(", ");
  return `${kind}: the documents ${named} have one ${property}, which is Unique: nothing was changed, and each keeps it until it is written with another`;
}

function attempt<T>(work: () => T): { readonly result: T } | undefined {
  try {
    return { result: work() };
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

function indexesIn({ kept }: Entry): StoredIndex[] {
  return kept.flatMap(({ indexes }) => indexes);
}

/** The indexes that a kind asks for, each once. */
function wantedIndexes(kind: Kind): Omit<StoredIndex, "ix">[] {
  const single = [...kind.indexed.keys()].map((property): Order[] => [{ property, direction: "asc" }]);
  const wanted = [...single, ...kind.composites.map((index) => index.properties)].map((properties) => {
    const parts = properties.map((order) => {
      const indexed = kind.indexed.get(order.property);
      return [order.property, order.direction, indexed?.key === true ? "key" : indexed?.many];
    });
    return { properties, identity: JSON.stringify([kind.kind, parts]) };
  });
  return [...new Map(wanted.map((index) => [index.identity, index])).values()];
}

function isSame(left: Kind, right: Kind): boolean {
  return JSON.stringify([left.properties, left.composites]) === JSON.stringify([right.properties, right.composites]);
}

function sameProperties(left: readonly Order[], right: readonly Order[]): boolean {
  return (
    left.length === right.length &&
    left.every((order, i) => order.property === right[i]?.property && order.direction === right[i].direction)
  );
}
