import type { QueryKey, QueryValue } from "./binding.ts";
import type { Context } from "./context.ts";
import type { EntityDeclaration, Stored } from "./entity.ts";
import { hosted } from "./slot.ts";
import { Fault } from "./errors.ts";
import type { Refused } from "./route-rules.ts";

/** One page of documents. */
export interface EntityPage<T> {
  /** The documents, in the query's order. */
  readonly items: Stored<T>[];
  /** The cursor of the page after this one, opaque; absent on the last. */
  readonly next?: string;
}

/** Comparisons that a field allows: an array is asked for what it contains. */
export type Operator<V> = [NonNullable<V>] extends [readonly unknown[]]
  ? "contains"
  : "==" | "<" | "<=" | ">" | ">=" | "in";

/** What a comparison compares with. */
type Operand<V, O> = O extends "contains"
  ? V extends readonly (infer Element)[]
    ? Element
    : never
  : O extends "in"
    ? readonly V[]
    : V;

/** The name where it is an `Index` field's or the id's, else the rule that is broken. */
type Indexed<T, F extends string> =
  F extends QueryKey<T> ? F : Refused<`fw/unindexed-query: ${F} is not an Index field of this entity`>;

type Sortable<T, F extends string> =
  F extends QueryKey<T>
    ? [NonNullable<QueryValue<T[F]>>] extends [readonly unknown[]]
      ? Refused<`fw/unindexed-query: ${F} is a list, which has no order`>
      : F
    : Indexed<T, F>;

/** A way to sort: fields and directions, the first before the next. */
export type Sort<T> = {
  readonly [F in QueryKey<T> & keyof T as Sortable<T, F> extends F ? F : never]?: "asc" | "desc";
};

/** Names of the `Index` fields that hold numbers. */
type NumberKey<T> = {
  [F in QueryKey<T> & keyof T]: [Exclude<QueryValue<T[F]>, null | undefined>] extends [number | bigint] ? F : never;
}[QueryKey<T> & keyof T];

type SumOf<V> = bigint extends V ? bigint | number : number;

/**
 * A query that is being put together. Every step makes another one. The fields, operators and directions are constants:
 * the indexes that it needs are derived from the source.
 */
export interface EntityQuery<T extends object> {
  /**
   * Only documents whose `field`, an `Index` or the id, compares so with `value`. Several filters all hold. Ranges (`<`, `<=`, `>`, `>=`) are
   * for one field, which is then the first to order by; `in` takes 1 to 30 values.
   */
  where<F extends keyof T & string, O extends Operator<QueryValue<T[F]>>>(
    field: F & Indexed<T, F>,
    operator: O,
    value: Operand<QueryValue<T[F]>, O>,
  ): EntityQuery<T>;
  /** Sorts by a field, then by the next one named; at last by id. Documents without the field are not found. */
  orderBy<F extends keyof T & string>(field: F & Sortable<T, F>, direction?: "asc" | "desc"): EntityQuery<T>;
  /**
   * Sorts in the way that somebody chose among these, each of which has its index:
   * `sortBy(req.sort ?? "newest", { newest: { placed: "desc" }, cheapest: { total: "asc", placed: "desc" } })`.
   */
  sortBy<Name extends string>(chosen: Name, sorts: { readonly [N in Name]: Sort<T> }): EntityQuery<T>;
  /** At most so many documents, or so many a page: 1 to 1,000, else a 400. */
  limit(documents: number): EntityQuery<T>;
  /** Every document that is found, up to the limit; without one, at most 10,000. */
  all(ctx: Context): Promise<Stored<T>[]>;
  /** The first document, or undefined. */
  first(ctx: Context): Promise<Stored<T> | undefined>;
  /** How many documents are found, up to the limit. */
  count(ctx: Context): Promise<number>;
  /**
   * The sum of an `Index` field of numbers, over every document that is found and has it, whatever the limit; 0 where there is none.
   * Of `Int64` it is a bigint, and a number where 64 bits do not hold it.
   */
  sum<F extends NumberKey<T>>(ctx: Context, field: F): Promise<SumOf<QueryValue<T[F]>>>;
  /** Their average; undefined where there is none. */
  average(ctx: Context, field: NumberKey<T>): Promise<number | undefined>;
  /** The page after a cursor (`next` of the page before), or the first; of 20 documents unless `limit` says otherwise. */
  page(ctx: Context, cursor?: string): Promise<EntityPage<T>>;
  /** Every document, one after the other, however many there are. */
  each(ctx: Context): AsyncIterable<Stored<T>>;
}

/** What a query asks for, as data. */
export interface QueryPlan {
  /** Whose documents. */
  readonly entity: EntityDeclaration;
  /** All of them hold. */
  readonly filters: readonly {
    readonly field: string;
    readonly operator: "==" | "<" | "<=" | ">" | ">=" | "in" | "contains";
    readonly value: unknown;
  }[];
  /** The first sorts, the next one where it ties. */
  readonly orders: readonly { readonly field: string; readonly direction: "asc" | "desc" }[];
  /** Documents, or documents a page. */
  readonly limit?: number;
}

function ordersOf(chosen: string, sorts: Readonly<Record<string, object>>): QueryPlan["orders"] {
  const sort = Object.hasOwn(sorts, chosen) ? sorts[chosen] : undefined;
  if (sort === undefined) throw new Fault(`sortBy(${JSON.stringify(chosen)}): there is no such sort`);
  return Object.entries(sort as Record<string, "asc" | "desc">).map(([field, direction]) => ({ field, direction }));
}

/** A query that asks for this. */
export function query<T extends object>(plan: QueryPlan): EntityQuery<T> {
  return {
    where: (field, operator, value) => query({ ...plan, filters: [...plan.filters, { field, operator, value }] }),
    orderBy: (field, direction = "asc") => query({ ...plan, orders: [...plan.orders, { field, direction }] }),
    sortBy: (chosen, sorts) => query({ ...plan, orders: [...plan.orders, ...ordersOf(chosen, sorts)] }),
    limit: (limit) => query({ ...plan, limit }),
    all: (ctx) => hosted<EntityHost>(ctx).entities.all(ctx, plan) as Promise<Stored<T>[]>,
    first: (ctx) => hosted<EntityHost>(ctx).entities.first(ctx, plan) as Promise<Stored<T> | undefined>,
    count: (ctx) => hosted<EntityHost>(ctx).entities.count(ctx, plan),
    sum: async (ctx, field) => (await hosted<EntityHost>(ctx).entities.total(ctx, plan, field)).sum as never,
    average: async (ctx, field) => (await hosted<EntityHost>(ctx).entities.total(ctx, plan, field)).average,
    page: (ctx, cursor) =>
      hosted<EntityHost>(ctx).entities.page(ctx, plan, cursor) as Promise<unknown> as Promise<EntityPage<T>>,
    each: (ctx) => hosted<EntityHost>(ctx).entities.each(ctx, plan) as AsyncIterable<Stored<T>>,
  };
}

/** What an entity's declaration and its queries ask of the runtime. Documents are copies of the caller's own. */
export interface EntityOperations {
  get(ctx: Context, entity: EntityDeclaration, id: string): Promise<object>;
  find(ctx: Context, entity: EntityDeclaration, id: string): Promise<object | undefined>;
  getMany(ctx: Context, entity: EntityDeclaration, ids: readonly string[]): Promise<(object | undefined)[]>;
  create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
  delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
  all(ctx: Context, plan: QueryPlan): Promise<object[]>;
  first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
  count(ctx: Context, plan: QueryPlan): Promise<number>;
  total(ctx: Context, plan: QueryPlan, field: string): Promise<Total>;
  page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
  each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
  transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}

/** What the numbers of a field come to. */
export interface Total {
  readonly sum: number | bigint;
  readonly average: number | undefined;
}

export type DocumentChange = (document: object) => object | void | Promise<object | void>;

/** What it asks of the runtime, as part of the Host. */
export interface EntityHost {
  readonly entities: EntityOperations;
}
