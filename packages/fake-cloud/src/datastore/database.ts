import { invalid, Refusal } from "../errors.ts";
import { checkKey, checkText } from "./limits.ts";
import { find, type Query, type Row } from "./query.ts";
import { textOf, type Entity, type Key, type Value } from "./values.ts";

/** A version of an entity; without an entity, a deletion. */
export interface Version {
  /** The commit's time in microseconds, unique to the commit. */
  readonly version: bigint;
  readonly entity?: Entity;
  readonly created: bigint;
}

export interface StoredEntity extends Version {
  readonly entity: Entity;
}

export interface Mutation {
  readonly insert?: Entity;
  readonly update?: Entity;
  readonly upsert?: Entity;
  readonly delete?: Key;
  readonly baseVersion?: string | number;
  readonly conflictResolutionStrategy?: string;
  readonly propertyTransforms?: unknown;
  readonly propertyMask?: unknown;
}

export interface MutationResult {
  readonly version: bigint;
  readonly conflict: boolean;
}

/** The state that a read sees: in a transaction, or at a time in microseconds. By default, the current state. */
export interface ReadAt {
  readonly transaction?: string;
  readonly time?: bigint;
}

/** A transaction: its read time and its reads. */
interface Transaction {
  readonly id: string;
  readonly snapshot: bigint;
  readonly readOnly: boolean;
  readonly expires: number;
  readonly keys: Set<string>;
  readonly queries: { readonly query: Query; readonly namespace: string; readonly found: string }[];
}

/** The maximum duration of a transaction, and how long replaced versions stay readable, in milliseconds. */
const transactionTime = 270_000;

/** A database: every version of its entities that a transaction may still read, and the open transactions. */
export class Database {
  readonly #now: () => number;
  readonly #entities = new Map<string, Version[]>();
  readonly #transactions = new Map<string, Transaction>();
  /** The time of the newest commit or read in microseconds; later commits get a later one. */
  #latest = 0n;
  #begun = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(readOnly: boolean): string {
    this.#begun += 1;
    const id = Buffer.from(`transaction ${this.#begun}`).toString("base64");
    const expires = this.#now() + transactionTime;
    this.#transactions.set(id, { id, snapshot: this.moment(), readOnly, expires, keys: new Set(), queries: [] });
    return id;
  }

  rollback(id: string): void {
    this.#transaction(id);
    this.#end(id);
  }

  /** Returns the read time in microseconds. */
  moment({ transaction, time }: ReadAt = {}): bigint {
    if (transaction !== undefined) return this.#transaction(transaction).snapshot;
    const now = BigInt(this.#now()) * 1000n;
    if (time !== undefined && time < now - BigInt(transactionTime) * 1000n) {
      throw new Refusal("FAILED_PRECONDITION", "The requested read_time is too old.");
    }
    if (now > this.#latest) this.#latest = now;
    return time ?? this.#latest;
  }

  /** Returns an entity as of a time; undefined if it did not exist then. */
  read(key: Key, at: ReadAt): StoredEntity | undefined {
    checkKey(key);
    const text = textOf(key);
    if (at.transaction !== undefined) this.#transaction(at.transaction).keys.add(text);
    return this.#at(text, this.moment(at));
  }

  query(query: Query, namespace: string, at: ReadAt): Row<StoredEntity>[] {
    const { transaction } = at;
    if (transaction === undefined) return find(query, namespace, this.#all(this.moment(at)));
    const { queries, snapshot } = this.#transaction(transaction);
    const rows = find(query, namespace, this.#all(snapshot));
    queries.push({ query, namespace, found: fingerprint(rows) });
    return rows;
  }

  /**
   * Applies the mutations atomically, or none if one is refused. A conflict with `baseVersion` skips its mutation, or
   * refuses the commit if the mutation's strategy is FAIL.
   */
  commit(mutations: readonly Mutation[], transaction?: string): { results: MutationResult[]; time: bigint } {
    const open = transaction === undefined ? undefined : this.#transaction(transaction);
    if (open) {
      this.#end(open.id);
      if (open.readOnly && mutations.length > 0) throw invalid("Cannot modify entities in a read-only transaction.");
      if (mutations.length > 0 && this.#hasChanged(open)) throw contention();
    }
    const next = this.moment() + 1n;
    const writes = new Map<string, Version>();
    const results = mutations.map((mutation) => {
      const key = mutation.delete ?? entityOf(mutation)?.key ?? {};
      checkWrittenKey(key);
      const text = textOf(key);
      const before = writes.get(text) ?? this.#entities.get(text)?.at(-1);
      if (writes.has(text) && !open)
        throw invalid("A non-transactional commit may not contain multiple mutations affecting the same entity.");
      const conflict =
        mutation.baseVersion !== undefined && BigInt(mutation.baseVersion) !== (present(before)?.version ?? 0n);
      if (conflict && mutation.conflictResolutionStrategy === "FAIL") throw contention();
      if (conflict) return { version: before?.version ?? 0n, conflict };
      const entity = entityAfter(mutation, present(before));
      if (entity) checkEntity(entity);
      const version = {
        version: next,
        created: present(before)?.created ?? next,
        ...(entity && { entity }),
      };
      writes.set(text, version);
      return { version: next, conflict };
    });
    this.#latest = next;
    for (const [text, version] of writes) this.#entities.set(text, [...this.#needed(text), version]);
    return { results, time: next };
  }

  #hasChanged({ keys, queries, snapshot }: Transaction): boolean {
    for (const text of keys) if ((this.#entities.get(text)?.at(-1)?.version ?? 0n) > snapshot) return true;
    return queries.some(
      ({ query, namespace, found }) => fingerprint(find(query, namespace, this.#all(this.#latest))) !== found,
    );
  }

  /** Returns the versions of an entity that a reader may still need. */
  #needed(text: string): readonly Version[] {
    const versions = this.#entities.get(text) ?? [];
    const oldest = (BigInt(this.#now()) - BigInt(transactionTime)) * 1000n;
    const first = versions.findLastIndex(({ version }) => version <= oldest);
    return first > 0 ? versions.slice(first) : versions;
  }

  #at(text: string, snapshot: bigint): StoredEntity | undefined {
    return present(this.#entities.get(text)?.findLast(({ version }) => version <= snapshot));
  }

  *#all(snapshot: bigint): Generator<StoredEntity> {
    for (const text of this.#entities.keys()) {
      const stored = this.#at(text, snapshot);
      if (stored) yield stored;
    }
  }

  #transaction(id: string): Transaction {
    const found = this.#transactions.get(id);
    if (found && found.expires > this.#now()) return found;
    this.#transactions.delete(id);
    throw invalid("The referenced transaction has expired or is no longer valid.");
  }

  #end(id: string): void {
    this.#transactions.delete(id);
    // Also drops abandoned transactions once they have expired.
    for (const [other, { expires }] of this.#transactions) if (expires <= this.#now()) this.#transactions.delete(other);
  }
}

function present(version: Version | undefined): StoredEntity | undefined {
  return version?.entity ? (version as StoredEntity) : undefined;
}

function entityOf({ insert, update, upsert }: Mutation): Entity | undefined {
  return insert ?? update ?? upsert;
}

/** Returns the entity after a mutation; undefined if it was deleted. */
function entityAfter(mutation: Mutation, before: StoredEntity | undefined): Entity | undefined {
  if (mutation.propertyTransforms !== undefined || mutation.propertyMask !== undefined) {
    throw new Refusal("UNIMPLEMENTED", "The fake has neither transforms nor masks of properties.");
  }
  if (mutation.delete) return undefined;
  const entity = entityOf(mutation);
  if (!entity) throw invalid("A mutation must have an operation.");
  if (mutation.insert && before) throw new Refusal("ALREADY_EXISTS", `entity already exists: ${shown(entity.key)}`);
  if (mutation.update && !before) throw new Refusal("NOT_FOUND", `no entity to update: ${shown(entity.key)}`);
  return entity;
}

/** Checks a key of a mutation. Reads and filters may have reserved names, as with Google's emulator. */
function checkWrittenKey(key: Key): void {
  checkKey(key);
  for (const { kind = "", name = "" } of key.path ?? [])
    for (const text of [kind, name])
      if (/^__.*__$/s.test(text)) throw invalid(`The key path element ${JSON.stringify(text)} is reserved.`);
}

function checkEntity(entity: Entity): void {
  if (Buffer.byteLength(JSON.stringify(entity.properties ?? {})) > 1_572_864)
    throw invalid("The entity is too big: its size is at most 1048572 bytes.");
  for (const [name, value] of Object.entries(entity.properties ?? {})) {
    if (name === "" || /^__.*__$/.test(name)) throw invalid(`The property name ${JSON.stringify(name)} is reserved.`);
    checkIndexed(name, value);
  }
}

function checkIndexed(name: string, value: Value): void {
  if (value.excludeFromIndexes) return;
  for (const one of value.arrayValue?.values ?? [value]) if (!one.excludeFromIndexes) checkText(name, one);
}

/** Identifies the results of a query and their versions. */
function fingerprint(rows: readonly Row<StoredEntity>[]): string {
  return rows.map(({ stored }) => `${textOf(stored.entity.key ?? {})}@${stored.version}`).join("\n");
}

function contention(): Refusal {
  return new Refusal(
    "ABORTED",
    "Aborted due to cross-transaction contention. This occurs when multiple transactions attempt to access the same data, requiring Firestore to abort at least one in order to enforce serializability.",
  );
}

function shown(key: Key | undefined): string {
  return (key?.path ?? []).map(({ kind, name, id }) => `${kind}: ${JSON.stringify(name ?? id)}`).join(", ");
}
