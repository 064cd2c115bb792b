import type { Accounts } from "./accounts.ts";
import type { Changes } from "./changes.ts";
import type { DeadLetterSink, Destination, Dispatcher, Messages, OutgoingMessage, Consumer } from "./messages.ts";
import type { Objects } from "./objects.ts";
import type { Ports, Lifetime } from "./lifetime.ts";
import type { Fields, Scalar } from "./values.ts";

/**
 * Stores an application's data, with the same guarantees on a laptop and in the cloud (see `testing/conformance.ts`).
 */
export interface Platform {
  readonly entities: EntityStore;
  readonly leases: Leases;
  readonly accounts: Accounts;
  readonly objects: Objects;
  readonly messages: Messages;
  /** Present if this process delivers messages. */
  readonly dispatcher?: Dispatcher;
  /** Present if deliveries arrive as requests, so that no dispatcher counts their attempts. */
  readonly deadLetters?: DeadLetterSink;
  readonly clock: Clock;
  /** Absent if the platform cannot notify, or if this process watches nothing: see `changesOf`. */
  readonly changes?: Changes;
  /**
   * Returns the same ports, bound to a lifetime. When it ends, pending reads, open transactions and incoming bodies
   * reject with the signal's reason. A write in flight is awaited and never retried; it fails with `unreachable` if its
   * outcome remains unknown. Absent if calls never wait for another process.
   */
  until?(lifetime: Lifetime): Ports;
  /**
   * Prepares new definitions while the application keeps reading and writing: fills new indexes and makes new kinds and
   * buckets available. Consumers, `Unique` and query results do not change until `commit`. Leaves no side effects if it
   * rejects or the signal aborts it. Allows one change at a time. Present on platforms that stay open while the
   * application's code changes.
   */
  prepare?(definitions: Definitions, signal?: AbortSignal): Promise<Redefinition>;
  /** Returns the indexes that are being filled. Present if `prepare` is. */
  fills?(): Promise<readonly IndexFill[]>;
  /** Waits for writes in flight and releases all resources. Later calls fail with `closed`. */
  close(): Promise<void>;
}

/** A platform's time source and timers; tests replace it to control both. */
export interface Clock {
  /**
   * Wall-clock time in milliseconds since 1970 (UTC), for timestamps that are stored or shown. NTP and operators may
   * set it back.
   */
  now(): number;
  /**
   * Monotonic time in milliseconds from an arbitrary origin. A process uses it for leases, timeouts and caches, because
   * `now` may jump.
   */
  elapsed(): number;
  /** Resolves after the delay; rejects with the signal's reason if aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal, options?: SleepOptions): Promise<void>;
}

export interface SleepOptions {
  /** Lets the process exit during the sleep. */
  readonly background?: boolean;
  /** Marks a backoff after contention, which a stopped test clock may skip. */
  readonly contention?: boolean;
}

/** The document kinds, consumers and buckets of the application and of the framework. */
export interface Definitions {
  readonly kinds: readonly KindDefinition[];
  /** Defaults to none. */
  readonly consumers?: readonly Consumer[];
  /** Bucket names; defaults to none. Objects of other buckets cannot be read or written. */
  readonly buckets?: readonly string[];
}

/** Prepared definitions. Call exactly one of the methods, exactly once. */
export interface Redefinition {
  /**
   * Consumers, `Unique` and queries follow the new definitions as soon as the call returns, before its promise settles.
   * The kinds, indexes and buckets of the old definitions stay available to code that is still running.
   */
  commit(): Promise<void>;
  /** Restores the state before `prepare`. */
  abandon(): void;
}

/** An index that is being filled with existing documents. */
export interface IndexFill {
  readonly kind: string;
  readonly properties: readonly Order[];
  /** The number of documents that the index contains. */
  readonly done: number;
  /** The number of documents still to be added; absent if every other document of the kind is to be added. */
  readonly remaining?: number;
}

/** One kind of document. Undefined kinds cannot be read or written. */
export interface KindDefinition {
  /** 1 to 200 characters. Names that start with `_fw` belong to the framework and need `framework: true`. */
  readonly kind: string;
  readonly framework?: true;
  /** Makes `changes` report writes to this kind. */
  readonly notifies?: true;
  /** Each indexed property has its own index, which serves both sort directions. */
  readonly properties: readonly IndexedProperty[];
  /** The composite indexes, as deployed. */
  readonly composites: readonly { readonly properties: readonly Order[] }[];
}

interface IndexedProperty {
  /** The path in the document. Dots separate nested names: `buyer`, `address.city`. */
  readonly name: string;
  /**
   * The value is an array whose elements are indexed: `==` and `in` match any element; ranges and orders are rejected.
   */
  readonly many?: true;
  /** Indexes the document's id under this name, which needs no matching property in the document. */
  readonly key?: true;
  /**
   * Values are unique among the documents of the kind, except null: a duplicate fails with `taken`. A transaction is
   * checked by its final state. Existing duplicates stay until they are overwritten.
   */
  readonly unique?: true;
  /**
   * Documents written by older code may have a different value, or none, until they are rewritten. Queries by the
   * property fail with `filling` while the property with `outdated` indexes any document.
   */
  readonly ruled?: true;
  /**
   * Makes the property index, as `true`, each document last written by code with a different `outdated` or none: the
   * values of its ruled properties may be outdated. The property's name is `outdatedProperty`; documents have no such
   * field.
   */
  readonly outdated?: string;
  /**
   * The types of value that documents may have, joined by `|`: `string`, `number`, `bigint`, `boolean`, `date` and
   * `null`, each optionally followed by `[]`, and `undefined` for a document without a value. Queries by the property
   * fail with `unfit` while any document has a value of another type or a value that no index can hold, because the
   * index lacks that document.
   */
  readonly type?: string;
}

export interface Order {
  readonly property: string;
  readonly direction: "asc" | "desc";
}

/** Identifies a document. The id is 1 to 1,500 bytes of UTF-8 without NUL, and not like `__…__` or `_fw…`. */
export interface Key {
  readonly kind: string;
  readonly id: string;
}

/** A document's version: opaque, different after every write, and never repeated, not even after a delete. */
export type Version = string & { readonly version?: never };

export interface Document {
  readonly id: string;
  /** Empty if the document is the transaction's own uncommitted write. */
  readonly version: Version;
  /** The caller's own copy, equal to the written value: Dates, bigints, NaN and -0 included. */
  readonly fields: Fields;
  /** The time of expiry (see `WriteOptions`). */
  readonly expires?: Date;
}

export interface WriteOptions {
  /**
   * From this instant on, `get` and queries ignore the document and `insert` may reuse its id. It is deleted some time
   * later; `count` includes it until then. If absent, the document never expires.
   */
  readonly expires?: Date;
}

export interface ConditionalOptions {
  /** The version that the document must still have; otherwise the write fails with `conflict`. */
  readonly version?: Version;
}

/**
 * Documents by kind and id. Top-level property names must not start with `_fw`. Each write is atomic, durable when its
 * promise resolves, and visible to every read that starts afterwards. A document with its indexed values is at most 1
 * MiB; an indexed string is at most 1,500 bytes of UTF-8.
 */
export interface EntityStore {
  /** Returns undefined if there is no document, even for an id that no document can have. */
  get(key: Key): Promise<Document | undefined>;
  /** Like `get`, but returns the result synchronously if it can, and then throws where `get` would reject. */
  getNow?(key: Key): Promise<Document | undefined> | Document | undefined;
  /**
   * Returns the documents in the order of `keys`, undefined for missing ones; at most 1,000 keys, all read from one
   * snapshot.
   */
  getMany(keys: readonly Key[]): Promise<(Document | undefined)[]>;
  /** Writes a new document; fails with `exists` if there is one. */
  insert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version>;
  upsert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version>;
  /** Replaces a document; fails with `missing` if there is none, and with `conflict` if its version differs. */
  update(key: Key, fields: Fields, options?: WriteOptions & ConditionalOptions): Promise<Version>;
  /** Deletes the document if it exists. Fails with `conflict` if it does not have the given version. */
  delete(key: Key, options?: ConditionalOptions): Promise<void>;
  /** Returns one page of documents in the query's order. */
  query(query: Query): Promise<Page>;
  /** Counts the matching documents, up to `upTo` if present. Ignores the query's limit and position. */
  count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number>;
  /**
   * Adds up the numbers of a property in the matching documents. Needs the indexes of the same query sorted last by
   * that property.
   */
  total(query: Omit<Query, "limit" | "after">, property: string): Promise<Total>;
  /** Starts a transaction. Most callers want `transact` from `transact.ts`, which also retries. */
  begin(options?: TransactionOptions): Promise<Transaction>;
}

/**
 * A query of one kind. At most one property may have ranges. It must be the first order; without orders, results sort
 * by it, ascending. Orders on a property compared by `==` are ignored. Ties, and queries without ranges and orders,
 * sort by id (as UTF-8 bytes) in the direction of the last order on a property not compared by `==` or `in`. Results of
 * a query on a property exclude documents without it; a value that no document can have matches nothing. Values sort as
 * in Datastore, across types: null, then Dates and bigints together (a Date as its microseconds since 1970), false,
 * true, strings by UTF-8 bytes, numbers, NaN.
 *
 * A query may have no filters and orders (a scan by id), equalities alone (merging the indexes of the single
 * properties), or a range or order on one property and nothing else (its own index). Any other query needs composite
 * indexes, which Datastore merges. Each starts with some of the compared properties and ends with exactly the orders on
 * properties not compared by `==` or `in`; together, they cover all compared properties. Without them, the query fails
 * with `index`.
 */
export interface Query {
  readonly kind: string;
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** Page size, 1 to 1,000. */
  readonly limit: number;
  /** The `next` cursor of a page of the same query: same kind, filters and orders. */
  readonly after?: string;
}

export interface TransactionQuery extends Query {
  /** Allows queries of kinds that the transaction has written; their results do not include its writes. */
  readonly ignoresWrites?: true;
}

export type Filter = EqualFilter | InFilter | RangeFilter;

/** The property, or one element of its array, equals the value. */
interface EqualFilter {
  readonly property: string;
  readonly op: "==";
  readonly value: Scalar;
}

/**
 * The property, or one element of its array, equals one of at most 30 values. The `in` filters of a query may have at
 * most 30 combinations.
 */
interface InFilter {
  readonly property: string;
  readonly op: "in";
  readonly value: readonly Scalar[];
}

/** The property's value sorts before or after `value`, or equals it, depending on `op`. */
export interface RangeFilter {
  readonly property: string;
  readonly op: "<" | "<=" | ">" | ">=";
  readonly value: Scalar;
}

export interface Page {
  readonly documents: readonly Document[];
  /**
   * The position after the last document; absent on the last page. Opaque and safe to give to clients: an altered
   * cursor, or a cursor of another query, fails with `cursor`. It encodes values and an id, not an offset, so inserting
   * or deleting earlier documents does not repeat or skip others.
   */
  readonly next?: string;
}

/**
 * The sum and average of a property's numbers. Strings, booleans and null are ignored. Platforms differ on Dates, so do
 * not total a property that has any.
 */
export interface Total {
  /** A bigint if all numbers are bigints and the sum fits in 64 bits; 0 if there are no numbers. */
  readonly sum: number | bigint;
  /** Undefined if there are no numbers. */
  readonly average: number | undefined;
}

export interface TransactionOptions {
  /** The commit fails with `lease` unless the caller still holds this lease. */
  readonly fence?: Fence;
}

/**
 * A serializable transaction. Reads see one snapshot of the store, and `get` also sees the transaction's own writes. A
 * query of a kind that the transaction has written fails with `query`, unless it ignores these writes. Nothing is
 * written before `commit`. The commit fails with `conflict`, without writing, if anything that the transaction read has
 * changed: a document, its absence, or a query's result. A read may fail with `conflict` early, which ends the
 * transaction.
 */
export interface Transaction extends Pick<EntityStore, "get" | "count" | "total"> {
  query(query: TransactionQuery): Promise<Page>;
  /** The commit fails with `exists` if there is a document. */
  insert(key: Key, fields: Fields, options?: WriteOptions): void;
  upsert(key: Key, fields: Fields, options?: WriteOptions): void;
  /** The commit fails with `missing` if there is no document. */
  update(key: Key, fields: Fields, options?: WriteOptions): void;
  delete(key: Key): void;
  /** Sends the message if and only if the transaction commits. Returns the message's id, which is `id` if present. */
  send(destination: Destination, message: OutgoingMessage, id?: string): string;
  /**
   * Writes everything or nothing, at most 499 documents and messages; each document counts once. A call that would
   * exceed this limit fails with `full`.
   */
  commit(): Promise<void>;
  /** Ends the transaction without writing. Does nothing if it has ended. */
  rollback(): Promise<void>;
}

/** Named locks that expire, for work that only one instance at a time may do. */
export interface Leases {
  /** Acquires the lease for the duration, or returns undefined while another holder has it. */
  acquire(name: string, milliseconds: number): Promise<Lease | undefined>;
  /** Extends the lease to this duration from now; fails with `lease` if it has expired or has another holder. */
  renew(fence: Fence, milliseconds: number): Promise<Lease>;
  /** Releases a lease; does nothing if the caller no longer holds it. */
  release(fence: Fence): Promise<void>;
}

/** A fencing token: identifies one acquisition of a lease, for writes that rely on it. */
export interface Fence {
  readonly name: string;
  /** Increases with each acquisition of the name, forever. */
  readonly token: number;
}

export interface Lease extends Fence {
  /** Another holder may take the lease from this instant on. */
  readonly expires: Date;
  renew(milliseconds: number): Promise<Lease>;
  release(): Promise<void>;
}
