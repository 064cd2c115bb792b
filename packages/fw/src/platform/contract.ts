import type { Accounts } from "./accounts.ts";
import type { DeadLetterSink, Destination, Dispatcher, Messages, OutgoingMessage, Consumer } from "./messages.ts";
import type { Objects } from "./objects.ts";
import type { Ports, Lifetime } from "./lifetime.ts";
import type { Fields, Scalar } from "./values.ts";

/** What keeps an application's data: one on a laptop, one in the cloud, the same promises (see `conformance.ts`). */
export interface Platform {
  readonly entities: EntityStore;
  readonly leases: Leases;
  readonly accounts: Accounts;
  readonly objects: Objects;
  readonly messages: Messages;
  /** Present where messages are delivered in this process. */
  readonly dispatcher?: Dispatcher;
  /** Present where deliveries come in as requests, and nobody else counts their attempts. */
  readonly deadLetters?: DeadLetterSink;
  readonly clock: Clock;
  /**
   * The same ports for as long as somebody waits. With the lifetime ends what waits for an answer from elsewhere: reads, transactions that
   * have not been committed, and bodies that come in, each with the signal's reason. A write that was sent is waited for, and not sent
   * again; it fails with `unreachable` where it stays unknown whether it was made. Absent where nothing is waited for.
   */
  until?(lifetime: Lifetime): Ports;
  /**
   * Prepares other definitions while the application keeps reading and writing: fills new indexes and makes new kinds
   * and buckets available. Consumers, `Unique` and the answers to queries stay as they are until `commit`. Rejects
   * with nothing changed, also when the signal aborts it. One change at a time. Present on platforms that stay open
   * while the application's code changes.
   */
  prepare?(definitions: Definitions, signal?: AbortSignal): Promise<Redefinition>;
  /** Waits for the writes under way and lets go of everything. Calls after it fail with `closed`. */
  close(): Promise<void>;
}

/** The time and the waiting of a platform, so that tests decide both. */
export interface Clock {
  /** Milliseconds since 1970 in UTC, for instants that others read. Operators and NTP may set it back or forth. */
  now(): number;
  /**
   * A monotonic clock, in milliseconds since some moment of this process. Whatever is measured by one process (leases,
   * timeouts, caches) is measured with it, because `now` may jump in between.
   */
  elapsed(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal, options?: SleepOptions): Promise<void>;
}

export interface SleepOptions {
  /** Does not keep the process alive. */
  readonly background?: boolean;
  /** Only keeps out of the way of others who want the same: a clock that stands still need not wait for it. */
  readonly contention?: boolean;
}

/** What a platform is told when it is opened: every kind of document that the application and the framework keep. */
export interface Definitions {
  readonly kinds: readonly KindDefinition[];
  /** Who receives messages; none by default. */
  readonly consumers?: readonly Consumer[];
  /** The names of the buckets; none by default. An object of another bucket cannot be read or written. */
  readonly buckets?: readonly string[];
}

/** Definitions that a platform is prepared for. Exactly one of the two is called, once. */
export interface Redefinition {
  /**
   * Consumers, `Unique` and queries follow these definitions when the call returns, before its promise settles.
   * Kinds, indexes and buckets of the definitions before stay available to code that is still running.
   */
  commit(): Promise<void>;
  /** Everything is as it was before `prepare`. */
  abandon(): void;
}

/** One kind of document. A kind that is not defined cannot be read or written. */
export interface KindDefinition {
  /** Its name, 1 to 200 characters. Names that begin with `_fw` are the framework's own and need `framework: true`. */
  readonly kind: string;
  readonly framework?: true;
  /** The indexed properties. Each has an index of its own, which serves both directions. */
  readonly properties: readonly IndexedProperty[];
  /** The composite indexes, as they are deployed. */
  readonly composites: readonly CompositeIndex[];
}

/** A property that queries may name. */
interface IndexedProperty {
  /** The path in the document; dots lead into objects: `buyer`, `address.city`. */
  readonly name: string;
  /** The value is an array and each element is indexed: `==` and `in` match any element; ranges and orders are refused. */
  readonly many?: true;
  /** The document's id under a name of its own, which no property of the document needs to have. */
  readonly key?: true;
  /**
   * No two documents have one value, but for null: a write that would give a document another's fails with `taken`. A transaction is
   * judged by what it leaves. Documents that had one value before keep it until they are written with another.
   */
  readonly unique?: true;
}

/** An index over several properties of a kind, in this order. */
interface CompositeIndex {
  readonly properties: readonly Order[];
}

/** A property and the way it is sorted. */
export interface Order {
  readonly property: string;
  readonly direction: "asc" | "desc";
}

/** What names a document. The id is 1 to 1,500 bytes of UTF-8, neither `__…__` nor `_fw…`, without NUL. */
export interface Key {
  readonly kind: string;
  readonly id: string;
}

/** Changes with every write of a document and never comes back, not even after a delete. Opaque. */
export type Version = string & { readonly version?: never };

/** A document as it is kept. */
export interface Document {
  readonly id: string;
  /** Empty for what a transaction has itself written and not yet committed. */
  readonly version: Version;
  /** The caller's own copy, equal to what was written: Dates, bigints, NaN and -0 included. */
  readonly fields: Fields;
  /** The instant from which the document is gone. */
  readonly expires?: Date;
}

/** Options of a write. */
export interface WriteOptions {
  /**
   * The instant from which `get` and queries no longer find the document and `insert` may take its id; it is deleted
   * some time later, and `count` counts it until then. Without it a write keeps the document for good.
   */
  readonly expires?: Date;
}

/** Options of a write that is made only when nobody else wrote in between. */
export interface ConditionalOptions {
  /** The version that the document must still have; otherwise the write fails with `conflict`. */
  readonly version?: Version;
}

/**
 * Documents by kind and id. Top-level properties do not begin with `_fw`. Each write is atomic, durable when its promise resolves, and seen by every read that begins
 * after it. A document with its indexed values is at most 1 MiB; an indexed string is at most 1,500 bytes of UTF-8.
 */
export interface EntityStore {
  /** The document, or undefined; also for an id that no document can have. */
  get(key: Key): Promise<Document | undefined>;
  /** As `get`, of a store that can answer without a promise; what it throws, `get` rejects with. */
  getNow?(key: Key): Promise<Document | undefined> | Document | undefined;
  /** The documents in the order of the keys, undefined where there is none; at most 1,000 keys, one moment for all. */
  getMany(keys: readonly Key[]): Promise<(Document | undefined)[]>;
  /** Writes a new document; fails with `exists` when there is one. */
  insert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version>;
  /** Writes the document whether there is one or not. */
  upsert(key: Key, fields: Fields, options?: WriteOptions): Promise<Version>;
  /** Replaces a document; fails with `missing` when there is none, with `conflict` when it has another version. */
  update(key: Key, fields: Fields, options?: WriteOptions & ConditionalOptions): Promise<Version>;
  /** Deletes the document; does nothing when there is none. With a version, fails with `conflict` when it has another. */
  delete(key: Key, options?: ConditionalOptions): Promise<void>;
  /** One page of documents in the query's order. */
  query(query: Query): Promise<Page>;
  /** How many documents match, at most `upTo` where it is given; the query's limit and position do not matter. */
  count(query: Omit<Query, "limit" | "after">, upTo?: number): Promise<number>;
  /** Adds up the numbers that a property has in the documents that match, as of a query that is sorted by it at last. */
  total(query: Omit<Query, "limit" | "after">, property: string): Promise<Total>;
  /** Starts a transaction. Most callers want `transact` of `transact.ts`, which also retries. */
  begin(options?: TransactionOptions): Promise<Transaction>;
}

/**
 * A query of one kind. At most one property takes ranges, and it is then the first order; orders on a property that is
 * compared by `==` are ignored; ties, and a query without orders, go by id (in UTF-8 bytes), in the direction of the last
 * order on a property that is not compared by `==` or `in`. A document without a property is in none of that property's
 * results, and a value that no document can have is equal to none. Values sort as Datastore sorts them, across types: null,
 * then Dates and bigints together (a Date as its microseconds since 1970), false, true, strings by UTF-8 bytes, numbers, NaN.
 *
 * Served are: equalities alone (the indexes of the single properties are merged); a range or order on one property with
 * nothing else (its own index); otherwise composite indexes that hold some of the compared properties first, then exactly
 * the orders, and together all compared properties (Datastore merges them). Everything else fails with `index`.
 */
export interface Query {
  readonly kind: string;
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** Documents of a page: 1 to 1,000. */
  readonly limit: number;
  /** `next` of a page of the same query: same kind, filters and orders. */
  readonly after?: string;
}

/** What a query asks of a property. */
export type Filter = EqualFilter | InFilter | RangeFilter;

/** The property, or one element of its array, has the value. */
interface EqualFilter {
  readonly property: string;
  readonly op: "==";
  readonly value: Scalar;
}

/** The property, or one element of its array, has one of 1 to 30 values; a query makes at most 30 combinations of them. */
interface InFilter {
  readonly property: string;
  readonly op: "in";
  readonly value: readonly Scalar[];
}

/** The property's value sorts so. */
export interface RangeFilter {
  readonly property: string;
  readonly op: "<" | "<=" | ">" | ">=";
  readonly value: Scalar;
}

/** Documents, and where the next page begins. */
export interface Page {
  readonly documents: readonly Document[];
  /**
   * The position after the last document; absent when none follows. Opaque, safe to hand to visitors: altered, or used
   * with another query, it fails with `cursor`. It names values and an id, never a count: documents that come and go
   * before it neither repeat nor skip others.
   */
  readonly next?: string;
}

/** What the numbers of a property come to; a text, a boolean and null are none of them. A property with Dates is not added up. */
export interface Total {
  /** A bigint where every number is one and the sum has 64 bits; 0 where there is no number. */
  readonly sum: number | bigint;
  /** Undefined where there is no number. */
  readonly average: number | undefined;
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** The commit fails with `lease` unless this lease is still held. */
  readonly fence?: Fence;
}

/**
 * Reads and writes that happen at one moment. The reads see one state of the store, and a `get` also the transaction's own
 * writes; a query of a kind that the transaction wrote fails with `query`. Nothing is written before `commit`, which fails
 * with `conflict` and writes nothing when something that was read has changed: a document, its absence, or a query's
 * result. A read may fail with `conflict` as soon as that is certain; the transaction has then ended.
 */
export interface Transaction extends Pick<EntityStore, "get" | "query" | "count" | "total"> {
  /** The commit fails with `exists` when there is a document. */
  insert(key: Key, fields: Fields, options?: WriteOptions): void;
  upsert(key: Key, fields: Fields, options?: WriteOptions): void;
  /** The commit fails with `missing` when there is no document. */
  update(key: Key, fields: Fields, options?: WriteOptions): void;
  delete(key: Key): void;
  /** The message is sent when the transaction commits, and never otherwise. Returns its id, the given one where there is one. */
  send(destination: Destination, message: OutgoingMessage, id?: string): string;
  /** Writes everything or nothing; at most 499 documents and messages, each document in its last state. */
  commit(): Promise<void>;
  /** Ends the transaction without a write. Does nothing when it has ended. */
  rollback(): Promise<void>;
}

/** Named locks that end by themselves, for work that one instance at a time may do. */
export interface Leases {
  /** Takes the lease for so many milliseconds, or answers undefined while another holds it. */
  acquire(name: string, milliseconds: number): Promise<Lease | undefined>;
  /** Holds a lease for so many milliseconds from now; fails with `lease` when it has expired or is another's. */
  renew(fence: Fence, milliseconds: number): Promise<Lease>;
  /** Lets a lease go; does nothing when it is no longer held. */
  release(fence: Fence): Promise<void>;
}

/** What a fenced write carries. */
export interface Fence {
  readonly name: string;
  /** Greater with each acquisition of the name, for ever. */
  readonly token: number;
}

/** A lease that was taken. */
export interface Lease extends Fence {
  /** The instant from which another may take it. */
  readonly expires: Date;
  renew(milliseconds: number): Promise<Lease>;
  release(): Promise<void>;
}
