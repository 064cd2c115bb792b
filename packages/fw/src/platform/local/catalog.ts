import { SerialQueue } from "../../lib/serial-queue.ts";
import type { Order } from "../contract.ts";
import { isSameKind, isSameOrder, kindOf, type Kind, type Kinds, withNewer } from "../definitions.ts";
import { closedError, type PlatformErrorCode } from "../errors.ts";
import { withFirstKind } from "../first-kind.ts";
import { indexesOf, sharedSentence, type RequiredIndex } from "../required-indexes.ts";
import type { FillPace } from "../fill-pace.ts";
import type { FillOptions, IndexRows } from "./index-rows.ts";

/** The maximum number of warnings about duplicate values of a unique property. */
const duplicateWarnings = 20;

export interface StoredIndex extends RequiredIndex {
  /** The index's number in the table of entries. */
  readonly ix: number;
}

/** Indexes whose entries are computed under one definition of the kind. */
export interface MaintainedIndexes {
  readonly kind: Kind;
  readonly indexes: readonly StoredIndex[];
}

interface Fill extends MaintainedIndexes {
  readonly position: string;
}

interface Entry {
  /**
   * The definitions that queries and writes may use: committed ones first, newest first, then prepared ones with filled
   * indexes.
   */
  readonly defined: readonly Kind[];
  /** All indexes that a write must maintain, including unfinished ones. */
  readonly maintained: readonly MaintainedIndexes[];
}

/** Definitions between `prepare` and `commit` or `abandon`. */
interface Prepared {
  readonly kinds: readonly Kind[];
  /** Whether the indexes of `kinds` contain every document. */
  isFilled: boolean;
}

/** Definitions whose indexes are filled. Call `commit` or `abandon` once; each takes effect in a single step. */
export interface PreparedKinds {
  /** Makes queries use these definitions immediately. Resolves when the store has recorded them. */
  commit(): Promise<void>;
  /** Stops maintaining the indexes that only these definitions need. */
  abandon(): void;
}

/**
 * The kinds and their indexes. Definitions change in two phases while code reads and writes. After `prepare` starts,
 * every write maintains both the old and the new indexes; `commit` then switches queries to the new definitions in a
 * single step, or `abandon` discards them. Old code may still run after a commit, so its definitions stay usable until
 * the store is closed. On disk, an index is ready only once its definitions are committed. Until then, its fill resumes
 * after a crash, and starts over after `abandon`.
 */
export class Catalog {
  readonly #rows: IndexRows;
  readonly #changes: SerialQueue = new SerialQueue();
  readonly #indexes = new WeakMap<Kind, readonly StoredIndex[]>();
  /** The committed definitions of each kind, newest first. */
  #committed: ReadonlyMap<string, readonly Kind[]> = new Map();
  readonly #prepared = new Set<Prepared>();
  /** Derived from the committed and the prepared definitions. */
  #entries: ReadonlyMap<string, Entry> = new Map();
  readonly #closing = new AbortController();

  /** Receives warnings about values that several documents have in a unique property. */
  readonly #warn: (sentence: string) => void;

  constructor(rows: IndexRows, warn: (sentence: string) => void = () => {}) {
    this.#rows = rows;
    this.#warn = warn;
  }

  /** Checks that a kind is defined. Otherwise throws a PlatformError `document`. */
  check(name: string): void {
    if (!this.#entries.get(name)?.defined.length) kindOf(new Map(), name);
  }

  first<T>(name: string, codes: readonly PlatformErrorCode[], work: (kind: Kind) => T, own?: Kinds): T {
    const { defined = [] } = this.#entries.get(name) ?? {};
    return withFirstKind(name, { own: own?.get(name), defined }, codes, work);
  }

  /** Maps each of `kinds` to the equal definition in the catalog; omits kinds without one. */
  matching(kinds: Kinds): Kinds {
    const matches = [...kinds.values()].flatMap((kind) => {
      const same = this.#entries.get(kind.kind)?.defined.find((other) => isSameKind(other, kind));
      return same === undefined ? [] : [[kind.kind, same] as const];
    });
    return new Map(matches);
  }

  newest(name: string): Kind | undefined {
    return this.#entries.get(name)?.defined[0];
  }

  /** Returns the indexes that a write of a document of this kind must maintain. */
  maintainedBy(name: string): readonly MaintainedIndexes[] {
    return this.#entries.get(name)?.maintained ?? [];
  }

  /** Returns the definition's index over exactly these properties. */
  find(kind: Kind, properties: readonly Order[]): StoredIndex {
    const index = this.#indexes.get(kind)?.find((index) => isSameOrder(index.properties, properties));
    if (index === undefined) throw new Error(`${kind.kind} has no index over ${JSON.stringify(properties)}`);
    return index;
  }

  /**
   * Deletes unused indexes, then fills indexes that `kinds` add. Resumes fills after a crash. `pace` leaves time for
   * requests. Rejects with the failure, with `closed` once the store is closed, or with the signal's reason; `kinds`
   * then have no effect.
   */
  prepare(kinds: Kinds, signal?: AbortSignal, pace?: FillPace): Promise<PreparedKinds> {
    return this.#changes.run(() => this.#prepare([...kinds.values()], signal, pace));
  }

  /** Aborts a fill in progress and waits for its end. Its `prepare` call rejects with `closed`. */
  async close(): Promise<void> {
    this.#closing.abort(closedError());
    await this.#changes.run(async () => {});
  }

  async #prepare(
    kinds: readonly Kind[],
    signal: AbortSignal | undefined,
    pace: FillPace | undefined,
  ): Promise<PreparedKinds> {
    this.#closing.signal.throwIfAborted();
    await this.#dropUnused(kinds, { signal, pace });
    const prepared: Prepared = { kinds, isFilled: false };
    try {
      for (const { kind, indexes, position } of this.#keepUp(prepared))
        await this.#rows.fill(kind, indexes, { signal, pace, position });
    } catch (error) {
      this.#forget(prepared);
      throw error;
    }
    prepared.isFilled = true;
    this.#derive();
    return { commit: () => this.#commit(prepared), abandon: () => this.#forget(prepared) };
  }

  /** Stops maintaining the indexes that only `prepared` needs. */
  #forget(prepared: Prepared): void {
    const before = [...this.#entries.values()].flatMap(indexesIn);
    this.#prepared.delete(prepared);
    this.#derive();
    const maintained = this.#maintained();
    // After `close`, nothing is written without maintaining these indexes, so their recorded positions stay valid.
    if (!this.#closing.signal.aborted) this.#rows.forgetPositions(before.filter(({ ix }) => !maintained.has(ix)));
  }

  async #commit(prepared: Prepared): Promise<void> {
    const { kinds } = prepared;
    this.#committed = withNewer(this.#committed, kinds);
    this.#forget(prepared);
    await this.#changes.run(async () => {
      await this.#rows.markReady(kinds.flatMap((kind) => this.#indexes.get(kind) ?? []));
      await this.#warnOfDuplicates(kinds);
    });
  }

  /**
   * Warns of existing duplicates in properties that have become unique. Each later commit of definitions repeats the
   * check, also after a restart, until no duplicates are left.
   */
  async #warnOfDuplicates(kinds: readonly Kind[]): Promise<void> {
    const search = { limit: duplicateWarnings, signal: this.#closing.signal };
    const knownUnique = new Map(this.#rows.all().map((row) => [row.ix, row.unique]));
    for (const kind of kinds) {
      for (const { ix, properties } of this.#indexes.get(kind) ?? []) {
        const [{ property } = { property: "" }, more] = properties;
        const guarded = more === undefined && kind.indexed.get(property)?.unique === true;
        if (guarded === knownUnique.get(ix)) continue;
        const shared = guarded ? await this.#rows.sharedValues(ix, search) : [];
        for (const ids of shared) this.#warn(sharedSentence(kind.kind, property, ids));
        if (shared.length === 0) await this.#rows.setUnique(ix, guarded);
      }
    }
  }

  /** Deletes indexes that no write maintains and that these definitions cannot use or finish filling. */
  async #dropUnused(kinds: readonly Kind[], options: FillOptions): Promise<void> {
    const maintained = this.#maintained();
    const requiredIdentities = new Set(kinds.flatMap(indexesOf).map(({ identity }) => identity));
    for (const { ix, identity, ready, position } of this.#rows.all()) {
      const isUseful = (ready || position !== undefined) && requiredIdentities.has(identity);
      if (!maintained.has(ix) && !isUseful) await this.#rows.drop(ix, options);
    }
  }

  #maintained(): ReadonlySet<number> {
    return new Set([...this.#entries.values()].flatMap(indexesIn).map(({ ix }) => ix));
  }

  /** Makes every later write maintain the indexes of `prepared`, in a single step. Returns the indexes to fill. */
  #keepUp(prepared: Prepared): Fill[] {
    const maintained = this.#maintained();
    const rows = new Map(this.#rows.all().map((row) => [row.identity, row]));
    const fills = prepared.kinds.flatMap((kind): Fill[] => {
      const positions = new Map<string, StoredIndex[]>();
      const indexes = indexesOf(kind).map(({ identity, properties }): StoredIndex => {
        const row = rows.get(identity);
        const index = { ix: row?.ix ?? this.#rows.add(kind.kind, identity), properties, identity };
        if (row?.ready || (row && maintained.has(row.ix))) return index;
        const position = row?.position ?? "";
        positions.set(position, [...(positions.get(position) ?? []), index]);
        return index;
      });
      this.#indexes.set(kind, indexes);
      return [...positions].map(([position, unfilled]) => ({ kind, indexes: unfilled, position }));
    });
    this.#prepared.add(prepared);
    this.#derive();
    return fills;
  }

  #derive(): void {
    const prepared = [...this.#prepared];
    const kinds = [...this.#committed.values(), ...prepared.map((each) => each.kinds)].flat();
    this.#entries = new Map(
      [...new Set(kinds.map(({ kind }) => kind))].map((name) => {
        const committed = this.#committed.get(name) ?? [];
        const defined = [...committed];
        for (const kind of prepared.flatMap((each) => (each.isFilled ? each.kinds : [])))
          if (kind.kind === name && !defined.some((other) => isSameKind(other, kind))) defined.push(kind);
        const definitions = [
          ...committed,
          ...prepared.flatMap((each) => each.kinds.filter((kind) => kind.kind === name)),
        ];
        return [name, { defined, maintained: this.#maintainedOf(definitions) }];
      }),
    );
  }

  /** Lists each index once, under the first definition that has it. */
  #maintainedOf(definitions: readonly Kind[]): MaintainedIndexes[] {
    const identities = new Set<string>();
    return definitions.flatMap((kind) => {
      const indexes = (this.#indexes.get(kind) ?? []).filter(({ identity }) => !identities.has(identity));
      for (const { identity } of indexes) identities.add(identity);
      return indexes.length === 0 ? [] : [{ kind, indexes }];
    });
  }
}

function indexesIn({ maintained }: Entry): StoredIndex[] {
  return maintained.flatMap(({ indexes }) => indexes);
}
