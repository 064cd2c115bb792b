import { SerialQueue } from "../../../lib/serial-queue.ts";
import type { Key } from "../../contract.ts";
import type { Kind, Kinds, Property } from "../../definitions.ts";
import { isPlatformError, PlatformError } from "../../errors.ts";
import type { Datastore } from "./datastore.ts";
import { indexName, isOfProperty, registeredProperty, ruleOfIndex, unfitOfIndex } from "./index-names.ts";
import { unindexed, type EntityResult } from "./stored-document.ts";
import { writeOver } from "./write-over.ts";

/** Milliseconds after which a process reads the registry again. */
export const refreshMs = 30_000;

/** Milliseconds after which a process may not send a write that was encoded for what it read then. */
const writableMs = 60_000;

/**
 * Milliseconds from the registration of an index until every write maintains it: no process sends writes for an older
 * registry after `writableMs`, and an attempt takes effect within 15 seconds.
 */
export const settledMs = 90_000;

/** Attempts to change the registry while other processes change it, too. */
const maxAttempts = 20;

/** The state of an index that some documents may lack. */
export interface IndexFilling {
  /** When it was registered, in milliseconds since 1970. */
  readonly since: number;
  /** The id up to which documents have it. */
  readonly after: string;
}

/**
 * The state of an index: true if every document has it that belongs in it; `none` if no version of the application has
 * ever been able to write a document that belongs in it.
 */
export type IndexState = true | "none" | IndexFilling;

/** The registered indexes of a kind, by `indexName`. */
export interface RegisteredKind {
  readonly indexes: Readonly<Record<string, IndexState>>;
  /** The indexes of the versions that were deployed last, newest first. */
  readonly deployed?: readonly (readonly string[])[];
}

/** The indexes that every write maintains, whichever version of the application makes it. */
export interface RegisteredIndexes {
  readonly kinds: Readonly<Record<string, RegisteredKind>>;
}

/** The registry as a process knows it. */
export interface KnownIndexes extends RegisteredIndexes {
  /** When it was read, on the monotonic clock. */
  readonly readAt: number;
}

/** The indexes of a kind that only other versions have. */
export interface ForeignIndexes {
  readonly properties: readonly Property[];
  /** The names of rules for which this version's documents are outdated. */
  readonly rules: readonly string[];
  /** The indexes of documents that do not fit the types of other versions. */
  readonly unfit: readonly Property[];
}

const noIndexes: RegisteredIndexes = { kinds: {} };

/** The names of the indexes that a version needs; Datastore has those of ids and of fw's own kinds itself. */
function indexNames(kind: Pick<Kind, "framework" | "indexed">): readonly string[] {
  if (kind.framework) return [];
  return [...kind.indexed.values()].filter(({ key }) => !key).map(indexName);
}

/**
 * The registry of indexes: a document that every process reads about twice a minute while it writes or queries. So
 * code of each version maintains the indexes of all, and no query uses an index that documents lack.
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

  /** Registers the indexes of this version that are new. */
  async current(): Promise<KnownIndexes> {
    if (this.#known !== undefined && this.#ageOf(this.#known) < refreshMs) return this.#known;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** True while writes that were encoded for these indexes may be sent. */
  isWritable(known: KnownIndexes): boolean {
    return this.#ageOf(known) < writableMs;
  }

  /** Reads the registry again the next time. */
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

/** Returns the registry with these indexes of kinds. Indexes of new kinds are ready if there are no documents. */
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
    // A service that only reads documents may not register; those that write them do.
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
      // Processes register a kind before they write its first document.
      const isNew = kindBefore === undefined && (await isEmpty(datastore, kind));
      const added = own
        .filter((name) => kindBefore?.indexes[name] === undefined)
        .map((name) => [name, isNew ? stateOfEmpty(name) : { since, after: "" }]);
      kinds[kind] = { ...kindBefore, indexes: { ...withUnfit(kindBefore, own), ...Object.fromEntries(added) } };
    }),
  );
  return { kinds };
}

/** The state of an index of a kind without documents. */
function stateOfEmpty(name: string): IndexState {
  return unfitOfIndex(name) === undefined ? true : "none";
}

/** Whether a version with these indexes may write documents that do not fit the types of another version. */
export function mayWriteUnfit({ indexes }: RegisteredKind, own: readonly string[]): boolean {
  return Object.entries(indexes).some(([name, state]) => state === "none" && !own.includes(name));
}

/** The indexes of a kind that a version with other types writes from now on. */
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

/** The changes that this process makes one after another, so that they don't conflict with each other. */
const changesOf = new WeakMap<Datastore, SerialQueue>();

/** Changes the registry with compare-and-set; the same object leaves it unchanged. */
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

/** Decodes the registry. */
export function registeredIn(result: EntityResult | undefined): RegisteredIndexes {
  const text = result?.entity?.properties?.["indexes"]?.stringValue;
  return text === undefined ? noIndexes : (JSON.parse(text) as RegisteredIndexes);
}

/** The indexes of a kind that this version does not declare. */
export function foreignIndexes({ kinds }: RegisteredIndexes, kind: Kind): ForeignIndexes {
  const own = new Set(indexNames(kind));
  const foreign = Object.keys(kinds[kind.kind]?.indexes ?? {}).filter((name) => !own.has(name));
  return {
    properties: foreign.filter(isOfProperty).map(registeredProperty),
    rules: foreign.flatMap((name) => ruleOfIndex(name) ?? []),
    unfit: foreign.flatMap((name) => unfitOfIndex(name) ?? []),
  };
}

/** True if the index has every document that belongs in it. */
export function isFilled(state: IndexState | undefined): state is true | "none" {
  return state === true || state === "none";
}

/** The names among these that some documents lack. */
export function unfilledIndexes(
  { kinds }: RegisteredIndexes,
  kind: string,
  names: readonly string[],
): readonly string[] {
  const { indexes = {} } = kinds[kind] ?? {};
  return names.filter((name) => !isFilled(indexes[name]));
}

/** True if documents may be in an index of those that do not fit its types. */
export function mayHaveUnfit({ kinds }: RegisteredIndexes, kind: string, name: string): boolean {
  return kinds[kind]?.indexes[name] !== "none";
}
