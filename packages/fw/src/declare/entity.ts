import type { IDKey, RefKey, RefType, TransientKey } from "./binding.ts";
import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import { hosted } from "./slot.ts";
import { query, type EntityHost, type EntityQuery } from "./entity-query.ts";
import type { Evolution, OldData } from "./evolution.ts";
import type { Refused } from "./route-rules.ts";
import type { TenantSetting } from "./tenant.ts";

/** A document as read from the store. `Transient` fields are optional, because they are never stored. */
export type Stored<T> = [Extract<TransientKey<T>, RequiredKey<T>>] extends [never] ? T : Optional<T, TransientKey<T>>;

/** A document to create: the id and `Transient` fields are optional. */
export type New<T> = Optional<T, IDKey<T> | TransientKey<T>>;

/** A document to write under its id; `Transient` fields are optional. */
export type Written<T> = Optional<T, TransientKey<T>>;

type RequiredKey<T> = { [P in keyof T]-?: undefined extends T[P] ? never : P }[keyof T];

/** `T` with optional properties `Key`. Distributes over unions. */
type Optional<T, Key> = T extends unknown
  ? { [P in keyof T as P extends Key ? never : P]: T[P] } & { [P in keyof T as P extends Key ? P : never]?: T[P] }
  : never;

/**
 * A document whose `Ref` fields `F` are replaced with the documents they refer to. A missing document is undefined, or
 * omitted from a list.
 */
export type WithRefs<D, F> = [F] extends [never]
  ? D
  : D extends unknown
    ? { [P in keyof D]: P extends F ? Referred<D[P]> : D[P] }
    : never;

type Referred<V> = [NonNullable<V>] extends [readonly unknown[]]
  ? Stored<RefType<V>>[] | Extract<V, null>
  : Stored<RefType<V>> | undefined | Extract<V, null>;

/** Options for reads. */
export interface ReadOptions<F extends string> {
  /** The `Ref` fields whose documents are also read, with one request per field. */
  readonly with: F | readonly F[];
}

/** The effect of deleting a document on a document that refers to it. */
export type OnDelete = "refuse" | "cascade" | "clear";

/** Rules for references. */
export interface ReferenceRules<F extends string> {
  /**
   * The effect of deleting a referenced document, by `Ref` field: `refuse` fails with a 409, `cascade` also deletes the
   * documents that refer to it, and `clear` removes its id from their optional field or list. All changes are one
   * transaction. The field needs an `Index`. A document with such a field can only refer to documents that exist.
   */
  readonly onDelete?: { readonly [P in F]?: OnDelete };
}

/** A collection of documents of one type. A document is at most 1 MiB. */
export interface EntityDeclaration<T extends object = object> {
  /** @internal */
  readonly kind: "entity";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly evolution?: Evolution<Record<string, unknown>, OldData> & TenantSetting & ReferenceRules<string>;
  /** Reads a document by id; throws `NotFound` if it does not exist. */
  get(ctx: Context, id: string): Promise<Stored<T>>;
  get<F extends RefKey<T>>(ctx: Context, id: string, options: ReadOptions<F>): Promise<WithRefs<Stored<T>, F>>;
  /** Reads a document by id; undefined if it does not exist. */
  find(ctx: Context, id: string): Promise<Stored<T> | undefined>;
  find<F extends RefKey<T>>(
    ctx: Context,
    id: string,
    options: ReadOptions<F>,
  ): Promise<WithRefs<Stored<T>, F> | undefined>;
  /**
   * Reads documents in the order of `ids`, with undefined for missing ones. Each batch of 1,000 is one consistent read.
   */
  getMany(ctx: Context, ids: readonly string[]): Promise<(Stored<T> | undefined)[]>;
  getMany<F extends RefKey<T>>(
    ctx: Context,
    ids: readonly string[],
    options: ReadOptions<F>,
  ): Promise<(WithRefs<Stored<T>, F> | undefined)[]>;
  /** Stores a new document, generating its id if omitted. Throws a 409 if the id exists. */
  create(ctx: Context, document: New<T>): Promise<Stored<T>>;
  /** Writes a document under its id, replacing an existing one. */
  put(ctx: Context, document: Written<T>): Promise<Stored<T>>;
  /**
   * Reads a document, applies `change` and writes the result, all in one transaction. If another write conflicts,
   * `change` runs again. `change` may mutate its argument or return another document. Throws `NotFound` if the document
   * does not exist.
   */
  update(
    ctx: Context,
    id: string,
    change: (document: Stored<T>) => Written<T> | void | Promise<Written<T> | void>,
  ): Promise<Stored<T>>;
  /** Deletes a document, if it exists. */
  delete(ctx: Context, id: string): Promise<void>;
  /**
   * Starts a query: filter with `where`, sort with `orderBy`, read with `all`, `first`, `count`, `page` or `each`. If
   * more than four filters are added conditionally, pass their number: `query({ conditions: 5 })`.
   */
  query(options?: { readonly conditions?: 5 | 6 | 7 | 8 }): EntityQuery<T>;
}

/** `unknown` if the type has exactly one `ID` field; otherwise a type that states the rule. */
type EntityRules<T> = [IDKey<T>] extends [never]
  ? Refused<"fw/entity-id: the type of an entity needs a field of the type ID">
  : IsUnion<IDKey<T>> extends true
    ? Refused<"fw/entity-id: the type of an entity can have only one field of the type ID">
    : unknown;

type IsUnion<K, All = K> = K extends unknown ? ([All] extends [K] ? false : true) : never;

/**
 * Declares a collection of documents: `Entity<Order>("orders")`. The type has one `ID` field. Mark fields to filter and
 * sort by with `Index<T>`, and fields that are not stored with `Transient<T>`. The second argument has rules for
 * documents of older versions, `{ upgrade: { currency: "EUR" } }`, for tenants, `{ tenant: orgs }`, and for deleting
 * referenced documents, `{ onDelete: { customer: "refuse" } }`.
 */
export function Entity<T extends object>(
  name: string & EntityRules<T>,
  evolution?: Evolution<T, OldData, IDKey<T> | TransientKey<T>> & TenantSetting & ReferenceRules<RefKey<T>>,
): EntityDeclaration<T> {
  const entity: EntityDeclaration<T> = {
    kind: "entity",
    name,
    ...(evolution && { evolution }),
    get: (ctx: Context, id: string, options?: ReadOptions<string>) =>
      hosted<EntityHost>(ctx).entities.get(ctx, plain, id, refsIn(options)) as Promise<never>,
    find: (ctx: Context, id: string, options?: ReadOptions<string>) =>
      hosted<EntityHost>(ctx).entities.find(ctx, plain, id, refsIn(options)) as Promise<never>,
    getMany: (ctx: Context, ids: readonly string[], options?: ReadOptions<string>) =>
      hosted<EntityHost>(ctx).entities.getMany(ctx, plain, ids, refsIn(options)) as Promise<never>,
    create: (ctx, document) => hosted<EntityHost>(ctx).entities.create(ctx, plain, document) as Promise<Stored<T>>,
    put: (ctx, document) => hosted<EntityHost>(ctx).entities.put(ctx, plain, document) as Promise<Stored<T>>,
    update: (ctx, id, change) =>
      hosted<EntityHost>(ctx).entities.update(ctx, plain, id, change as never) as Promise<Stored<T>>,
    delete: (ctx, id) => hosted<EntityHost>(ctx).entities.delete(ctx, plain, id),
    query: () => query<T>({ entity: plain, filters: [], orders: [] }),
  };
  const plain = entity as unknown as EntityDeclaration;
  return recordDeclaration(entity);
}

function refsIn(options: ReadOptions<string> | undefined): readonly string[] {
  return options === undefined ? [] : [options.with].flat();
}

/**
 * Runs reads and writes of several entities atomically. Inside `work`, pass `tx` instead of `ctx`. If a document that
 * `work` has read changes before the commit, `work` runs again, so it must not have other side effects. If `work`
 * throws, nothing is written.
 */
export function transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  return hosted<EntityHost>(ctx).entities.transaction(ctx, work);
}
