import type { QueryKey, QueryValue, RefKey, SearchKey } from "./binding.ts";
import type { Context } from "./context.ts";
import type { EntityDeclaration, Stored, WithRefs } from "./entity.ts";
import { hosted } from "./slot.ts";
import { Fault } from "./errors.ts";
import type { Refused } from "./route-rules.ts";

/** A page of documents. */
export interface EntityPage<T, D = Stored<T>> {
  /** The documents, in the query's order. */
  readonly items: D[];
  /** An opaque cursor for the next page; absent on the last page. */
  readonly next?: string;
}

/** The operators that a field supports; list fields support only `contains`. */
export type Operator<V> = [NonNullable<V>] extends [readonly unknown[]]
  ? "contains"
  : "==" | "<" | "<=" | ">" | ">=" | "in";

/** The type of the operand for an operator. */
type Operand<V, O> = O extends "contains"
  ? V extends readonly (infer Element)[]
    ? Element
    : never
  : O extends "in"
    ? readonly V[]
    : V;

/** The name of an `Index` field or the id; for any other field, a type that states the rule. */
type Indexed<T, F extends string> =
  F extends QueryKey<T> ? F : Refused<`fw/unindexed-query: ${F} is not an Index field of this entity`>;

type Sortable<T, F extends string> =
  F extends QueryKey<T>
    ? [NonNullable<QueryValue<T[F]>>] extends [readonly unknown[]]
      ? Refused<`fw/unindexed-query: ${F} is a list, which has no order`>
      : F
    : Indexed<T, F>;

/** A sort order: fields with directions, the most significant first. */
export type Sort<T> = {
  readonly [F in QueryKey<T> & keyof T as Sortable<T, F> extends F ? F : never]?: "asc" | "desc";
};

/** `unknown` if the type has a `Search` field; otherwise a type that states the rule. */
type Searchable<T> = [SearchKey<T>] extends [never]
  ? Refused<"fw/unindexed-query: no field of this entity is marked with Search">
  : unknown;

/** The names of numeric `Index` fields. */
type NumberKey<T> = {
  [F in QueryKey<T> & keyof T]: [Exclude<QueryValue<T[F]>, null | undefined>] extends [number | bigint] ? F : never;
}[QueryKey<T> & keyof T];

/** True for string, number and boolean types except `string` and `number` themselves. */
type IsFinite<V> = [V] extends [string | number | boolean]
  ? string extends V
    ? false
    : number extends V
      ? false
      : true
  : false;

/** The names of `Index` fields with a finite number of values: literals, booleans and null. */
type FiniteKey<T> = {
  [F in QueryKey<T> & keyof T]: IsFinite<Exclude<QueryValue<T[F]>, null | undefined>> extends true ? F : never;
}[QueryKey<T> & keyof T];

/** The number of documents that have a value. */
export interface ValueCount<V> {
  readonly value: V;
  readonly count: number;
}

type SumOf<V> = bigint extends V ? bigint | number : number;

/**
 * An immutable query builder: every method returns a new query. Fields, operators and directions must be constants,
 * because fw derives the required indexes from the source.
 */
export interface EntityQuery<T extends object, D = Stored<T>> {
  /**
   * Filters by an `Index` field or the id. Multiple filters are combined with AND. Ranges (`<`, `<=`, `>`, `>=`) are
   * limited to one field, which must come first in `orderBy`; `in` takes 1 to 30 values, and several `in` filters at
   * most 30 combinations of their values.
   */
  where<F extends keyof T & string, O extends Operator<QueryValue<T[F]>>>(
    field: F & Indexed<T, F>,
    operator: O,
    value: Operand<QueryValue<T[F]>, O>,
  ): EntityQuery<T, D>;
  /**
   * Sorts by a field; call it again for further fields. The id breaks ties. Documents without the field are omitted.
   */
  orderBy<F extends keyof T & string>(field: F & Sortable<T, F>, direction?: "asc" | "desc"): EntityQuery<T, D>;
  /**
   * Sorts by one of several named orders, each with its own index:
   * `sortBy(req.sort ?? "newest", { newest: { placed: "desc" }, cheapest: { total: "asc", placed: "desc" } })`.
   */
  sortBy<Name extends string>(chosen: Name, sorts: { readonly [N in Name]: Sort<T> }): EntityQuery<T, D>;
  /**
   * Filters by words: every word of `text` must occur in the document's `Search` fields, except that the last one may
   * be incomplete. Ignores case and accents. A text without words matches nothing; more than 10 words throw a 400. The
   * query's order applies to the results.
   */
  search(text: string & Searchable<T>): EntityQuery<T, D>;
  /**
   * Also returns the documents that `Ref` fields refer to. Each page needs one more request per field, however many
   * documents it has. A missing document is undefined, or omitted from a list.
   */
  with<F extends RefKey<T>>(...fields: readonly F[]): EntityQuery<T, WithRefs<D, F>>;
  /** Limits the number of documents, or sets the page size: 1 to 1,000; other values throw a 400. */
  limit(documents: number): EntityQuery<T, D>;
  /**
   * Skips this many documents, 0 to 1,000; other values throw a 400. Skipped documents are still read, so prefer a
   * cursor. Counts, sums, averages and later pages ignore it.
   */
  offset(documents: number): EntityQuery<T, D>;
  /** Reads all matching documents up to the limit. Without a limit, throws if there are more than 10,000. */
  all(ctx: Context): Promise<D[]>;
  /** Reads the first matching document, or undefined. */
  first(ctx: Context): Promise<D | undefined>;
  /** Counts matching documents up to the limit. */
  count(ctx: Context): Promise<number>;
  /**
   * Counts matching documents for each value of an `Index` field, whose type must have at most 30 values: literals,
   * booleans and null. Returns the counts in the order of the type, all from one snapshot. Ignores the limit.
   */
  countBy<F extends FiniteKey<T>>(ctx: Context, field: F): Promise<ValueCount<Exclude<QueryValue<T[F]>, undefined>>[]>;
  /**
   * Sums a numeric `Index` field over all matching documents that have it, ignoring the limit; 0 if there are none. For
   * `Int64` the sum is a bigint, or a number if it exceeds 64 bits.
   */
  sum<F extends NumberKey<T>>(ctx: Context, field: F): Promise<SumOf<QueryValue<T[F]>>>;
  /**
   * Averages a numeric `Index` field over all matching documents that have it, ignoring the limit; undefined if there
   * are none.
   */
  average(ctx: Context, field: NumberKey<T>): Promise<number | undefined>;
  /**
   * Reads the page at `cursor` (`next` of the previous page), or the first page. A page has 20 documents unless `limit`
   * sets another size.
   */
  page(ctx: Context, cursor?: string): Promise<EntityPage<T, D>>;
  /** Iterates over all matching documents, up to the limit if one is set. */
  each(ctx: Context): AsyncIterable<D>;
}

/** A query as data. */
export interface QueryPlan {
  readonly entity: EntityDeclaration;
  /** The filters, combined with AND. */
  readonly filters: readonly {
    readonly field: string;
    readonly operator: "==" | "<" | "<=" | ">" | ">=" | "in" | "contains";
    readonly value: unknown;
  }[];
  /** The sort order, the most significant field first. */
  readonly orders: readonly { readonly field: string; readonly direction: "asc" | "desc" }[];
  /** The maximum number of documents, or the page size. */
  readonly limit?: number;
  /** The number of documents to skip. */
  readonly offset?: number;
  /** The texts to search for. */
  readonly searches?: readonly string[];
  /** The `Ref` fields whose documents are also read. */
  readonly with?: readonly string[];
}

function ordersOf(chosen: string, sorts: Readonly<Record<string, object>>): QueryPlan["orders"] {
  const sort = Object.hasOwn(sorts, chosen) ? sorts[chosen] : undefined;
  if (sort === undefined) throw new Fault(`sortBy(${JSON.stringify(chosen)}): there is no such sort`);
  return Object.entries(sort as Record<string, "asc" | "desc">).map(([field, direction]) => ({ field, direction }));
}

/** Creates the builder for a query. */
export function query<T extends object, D = Stored<T>>(plan: QueryPlan): EntityQuery<T, D> {
  /**
   * Returns a method that runs the query with an operation of the runtime. The operation returns documents of the
   * query's type.
   */
  const read =
    (name: "all" | "first" | "count" | "countBy" | "total" | "page" | "each") =>
    (ctx: Context, argument?: string): never =>
      hosted<EntityHost>(ctx).entities[name](ctx, plan, argument as never) as never;
  const total: (ctx: Context, field: string) => Promise<Total> = read("total");
  return {
    where: (field, operator, value) => query({ ...plan, filters: [...plan.filters, { field, operator, value }] }),
    orderBy: (field, direction = "asc") => query({ ...plan, orders: [...plan.orders, { field, direction }] }),
    sortBy: (chosen, sorts) => query({ ...plan, orders: [...plan.orders, ...ordersOf(chosen, sorts)] }),
    search: (text) => query({ ...plan, searches: [...(plan.searches ?? []), text] }),
    with: (...fields) => query({ ...plan, with: [...(plan.with ?? []), ...fields] }),
    limit: (limit) => query({ ...plan, limit }),
    offset: (offset) => query({ ...plan, offset }),
    all: read("all"),
    first: read("first"),
    count: read("count"),
    countBy: read("countBy"),
    sum: async (ctx, field) => (await total(ctx, field)).sum as never,
    average: async (ctx, field) => (await total(ctx, field)).average,
    page: read("page"),
    each: read("each"),
  };
}

/** Entity operations, as the runtime implements them. The caller owns the returned documents: they are copies. */
export interface EntityOperations {
  get(ctx: Context, entity: EntityDeclaration, id: string, refs: readonly string[]): Promise<object>;
  find(ctx: Context, entity: EntityDeclaration, id: string, refs: readonly string[]): Promise<object | undefined>;
  getMany(
    ctx: Context,
    entity: EntityDeclaration,
    ids: readonly string[],
    refs: readonly string[],
  ): Promise<(object | undefined)[]>;
  create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
  delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
  all(ctx: Context, plan: QueryPlan): Promise<object[]>;
  first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
  count(ctx: Context, plan: QueryPlan): Promise<number>;
  countBy(ctx: Context, plan: QueryPlan, field: string): Promise<ValueCount<unknown>[]>;
  total(ctx: Context, plan: QueryPlan, field: string): Promise<Total>;
  page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
  each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
  transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}

/** Aggregates of a numeric field. */
export interface Total {
  readonly sum: number | bigint;
  readonly average: number | undefined;
}

export type DocumentChange = (document: object) => object | void | Promise<object | void>;

/** The part of the Host that stores documents. */
export interface EntityHost {
  readonly entities: EntityOperations;
}
