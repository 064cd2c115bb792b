import { SerialQueue } from "../../../lib/serial-queue.ts";
import type { Key } from "../../contract.ts";
import type { Kind, Kinds, Property } from "../../definitions.ts";
import { isPlatformError, PlatformError } from "../../errors.ts";
import type { Datastore } from "./datastore.ts";
import { indexName, isOfProperty, registeredProperty, ruleOfIndex, unfitOfIndex } from "./index-names.ts";
import { unindexed, type EntityResult } from "./stored-document.ts";
import { writeOver } from "./write-over.ts";

/** Milliseconds after which a process rereads the registry. */
export const refreshMs = 30_000;

/** Milliseconds after reading the registry during which a process may send writes that were encoded with it. */
const writableMs = 60_000;

/**
 * Milliseconds from the registration of an index until every write maintains it. No process sends writes encoded with
 * an older registry after `writableMs`, and an attempt takes effect within 15 seconds.
 */
export const settledMs = 90_000;

/** Maximum attempts to change the registry despite concurrent changes. */
const maxAttempts = 20;

/** The state of an index that may be incomplete. */
export interface IndexFilling {
  /** The time of the index's registration, in milliseconds since 1970. */
  readonly since: number;
  /** The index contains every document up to this id. */
  readonly after: string;
}

/**
 * The state of an index: true if it is complete; `none` if no version registered so far could have written a document
 * for it.
 */
export type IndexState = true | "none" | IndexFilling;

/** The registered indexes of a kind, by their `indexName`. */
export interface RegisteredKind {
  readonly indexes: Readonly<Record<string, IndexState>>;
  /** The indexes of the most recently deployed versions, newest first. */
  readonly deployed?: readonly (readonly string[])[];
}

/** The indexes that every write maintains, by any version of the application. */
export interface RegisteredIndexes {
  readonly kinds: Readonly<Record<string, RegisteredKind>>;
}

/** The registry as this process last read it. */
export interface KnownIndexes extends RegisteredIndexes {
  /** The time of reading, on the monotonic clock. */
  readonly readAt: number;
}

/** The indexes of a kind that only other versions use. */
export interface ForeignIndexes {
  readonly properties: readonly Property[];
  /** Hashes of the rules that make documents of this version outdated. */
  readonly rules: readonly string[];
  /** The unfit properties of other versions (see `newUnfitProperty`). */
  readonly unfit: readonly Property[];
}

const noIndexes: RegisteredIndexes = { kinds: {} };

/**
 * Returns the names of a kind's indexes for the registry. fw's own kinds have none, and Datastore itself indexes ids.
 */
function indexNames(kind: Pick<Kind, "framework" | "indexed">): readonly string[] {
  if (kind.framework) return [];
  return [...kind.indexed.values()].filter(({ key }) => !key).map(indexName);
}

/**
 * The registry of indexes: a document that every process rereads about twice a minute while it writes or queries. It
 * makes every version maintain the indexes of all versions, so that no query uses an incomplete index.
 */
export class IndexRegistry {
  readonly #datastore: Datastore;
  readonly #kinds: Kinds;
  #known: KnownIndexes | undefined;
  #reading: Promise<KnownIndexes> | undefined;

  constructor(datastore: Datastore, kinds: Kinds) {
    this.#datastore = datastore;
    this.#kinds = kinds;
  }

  /** Returns a recent registry that contains this version's indexes, registering them if necessary. */
  async current(): Promise<KnownIndexes> {
    if (this.#known !== undefined && this.#ageOf(this.#known) < refreshMs) return this.#known;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Whether writes that were encoded for these indexes may still be sent. */
  isWritable(known: KnownIndexes): boolean {
    return this.#ageOf(known) < writableMs;
  }

  /** Makes the next call reread the registry. */
  forget(): void {
    this.#known = undefined;
  }

  #ageOf({ readAt }: KnownIndexes): number {
    return this.#datastore.clock.elapsed() - readAt;
  }

  async #read(): Promise<KnownIndexes> {
    const readAt = this.#datastore.clock.elapsed();
    const names = new Map(
      [...this.#kinds.values()].filter(({ framework }) => !framework).map((kind) => [kind.kind, indexNames(kind)]),
    );
    const indexes = await register(this.#datastore, names);
    return (this.#known = { ...indexes, readAt });
  }
}

/**
 * Adds the indexes in `names`, by kind, to the registry and returns it. The indexes of a new kind without documents are
 * complete at once.
 */
export async function register(
  datastore: Datastore,
  names: ReadonlyMap<string, readonly string[]>,
): Promise<RegisteredIndexes> {
  let next: RegisteredIndexes = noIndexes;
  try {
    return await changeRegistry(
      datastore,
      async (registered) => (next = await withIndexes(datastore, registered, names)),
    );
  } catch (error) {
    // Services that only read documents may not write the registry. Services that write documents register the indexes.
    if (isPlatformError(error, "denied") && next !== noIndexes) return next;
    throw error;
  }
}

async function withIndexes(
  datastore: Datastore,
  registered: RegisteredIndexes,
  names: ReadonlyMap<string, readonly string[]>,
): Promise<RegisteredIndexes> {
  const isComplete = [...names].every(([kind, own]) => {
    const known = registered.kinds[kind];
    return known !== undefined && own.every((name) => known.indexes[name] !== undefined) && !mayWriteUnfit(known, own);
  });
  if (isComplete) return registered;
  const since = datastore.now();
  const kinds = { ...registered.kinds };
  await Promise.all(
    [...names].map(async ([kind, own]) => {
      const kindBefore = registered.kinds[kind];
      // Processes register a kind before they write its first document, so an unregistered kind is often empty.
      const isNew = kindBefore === undefined && (await isEmpty(datastore, kind));
      const added = own
        .filter((name) => kindBefore?.indexes[name] === undefined)
        .map((name) => [name, isNew ? stateOfEmpty(name) : { since, after: "" }]);
      kinds[kind] = { ...kindBefore, indexes: { ...withUnfit(kindBefore, own), ...Object.fromEntries(added) } };
    }),
  );
  return { kinds };
}

/** Returns the initial state of an index whose kind has no documents. */
function stateOfEmpty(name: string): IndexState {
  return unfitOfIndex(name) === undefined ? true : "none";
}

/** Whether a version with the indexes `own` may write documents that another version's types do not allow. */
export function mayWriteUnfit({ indexes }: RegisteredKind, own: readonly string[]): boolean {
  return Object.entries(indexes).some(([name, state]) => state === "none" && !own.includes(name));
}

/** Changes the state of indexes from `none` to `true` if this version's types differ: its writes may add entries. */
function withUnfit(registered: RegisteredKind | undefined, own: readonly string[]): RegisteredKind["indexes"] {
  return Object.fromEntries(
    Object.entries(registered?.indexes ?? {}).map(([name, state]) => [
      name,
      state === "none" && !own.includes(name) ? true : state,
    ]),
  );
}

async function isEmpty(datastore: Datastore, kind: string): Promise<boolean> {
  const { entityResults = [] } = await datastore.query({ kind: [{ name: kind }], limit: 1 });
  return entityResults.length === 0;
}

type RegistryChange = (registered: RegisteredIndexes) => RegisteredIndexes | Promise<RegisteredIndexes>;

/** The queues of this process's own changes, which would otherwise conflict with each other. */
const changesOf = new WeakMap<Datastore, SerialQueue>();

/** Changes the registry with compare-and-set. Returning the same object leaves it unchanged. */
export function changeRegistry(datastore: Datastore, change: RegistryChange): Promise<RegisteredIndexes> {
  const changes = changesOf.get(datastore) ?? new SerialQueue();
  changesOf.set(datastore, changes);
  return changes.run(() => writeRegistry(datastore, change));
}

async function writeRegistry(datastore: Datastore, change: RegistryChange): Promise<RegisteredIndexes> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [result] = (await datastore.lookup([registryKey])).results;
    const registered = registeredIn(result);
    const next = await change(registered);
    if (next === registered) return next;
    const properties = { indexes: unindexed({ stringValue: JSON.stringify(next) }) };
    if (await writeOver(datastore, registryKey, result, properties)) return next;
  }
  throw new PlatformError("conflict", "too many concurrent changes of the registry of indexes");
}

export const registryKey: Key = { kind: "_fw_indexes", id: "registry" };

export function registeredIn(result: EntityResult | undefined): RegisteredIndexes {
  const text = result?.entity?.properties?.["indexes"]?.stringValue;
  return text === undefined ? noIndexes : (JSON.parse(text) as RegisteredIndexes);
}

/** Returns a kind's indexes that this version does not declare. */
export function foreignIndexes({ kinds }: RegisteredIndexes, kind: Kind): ForeignIndexes {
  const own = new Set(indexNames(kind));
  const foreign = Object.keys(kinds[kind.kind]?.indexes ?? {}).filter((name) => !own.has(name));
  return {
    properties: foreign.filter(isOfProperty).map(registeredProperty),
    rules: foreign.flatMap((name) => ruleOfIndex(name) ?? []),
    unfit: foreign.flatMap((name) => unfitOfIndex(name) ?? []),
  };
}

/** True if the index contains every document that belongs in it. */
export function isFilled(state: IndexState | undefined): state is true | "none" {
  return state === true || state === "none";
}

/** Returns the `names` whose indexes may lack documents. */
export function unfilledIndexes(
  { kinds }: RegisteredIndexes,
  kind: string,
  names: readonly string[],
): readonly string[] {
  const { indexes = {} } = kinds[kind] ?? {};
  return names.filter((name) => !isFilled(indexes[name]));
}

/** True unless the index of unfit documents is known to be empty. */
export function mayHaveUnfit({ kinds }: RegisteredIndexes, kind: string, name: string): boolean {
  return kinds[kind]?.indexes[name] !== "none";
}
