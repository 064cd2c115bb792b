import type { QueryKey, QueryValue } from "./binding.ts";
import type { Context } from "./context.ts";
import type { EntityDeclaration, Stored } from "./entity.ts";
import { hosted } from "./slot.ts";
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
  /** At most so many documents, or so many a page: 1 to 1,000, else a 400. */
  limit(documents: number): EntityQuery<T>;
  /** Every document that is found, up to the limit; without one, at most 10,000. */
  all(ctx: Context): Promise<Stored<T>[]>;
  /** The first document, or undefined. */
  first(ctx: Context): Promise<Stored<T> | undefined>;
  /** How many documents are found, up to the limit. */
  count(ctx: Context): Promise<number>;
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

/** A query that asks for this. */
export function query<T extends object>(plan: QueryPlan): EntityQuery<T> {
  return {
    where: (field, operator, value) => query({ ...plan, filters: [...plan.filters, { field, operator, value }] }),
    orderBy: (field, direction = "asc") => query({ ...plan, orders: [...plan.orders, { field, direction }] }),
    limit: (limit) => query({ ...plan, limit }),
    all: (ctx) => hosted<EntityHost>(ctx).entities.all(ctx, plan) as Promise<Stored<T>[]>,
    first: (ctx) => hosted<EntityHost>(ctx).entities.first(ctx, plan) as Promise<Stored<T> | undefined>,
    count: (ctx) => hosted<EntityHost>(ctx).entities.count(ctx, plan),
    page: (ctx, cursor) =>
      hosted<EntityHost>(ctx).entities.page(ctx, plan, cursor) as Promise<unknown> as Promise<EntityPage<T>>,
    each: (ctx) => hosted<EntityHost>(ctx).entities.each(ctx, plan) as AsyncIterable<Stored<T>>,
  };
}

/** What an entity's declaration and its queries ask of the runtime. Documents are copies of the caller's own. */
export interface EntityOperations {
  get(ctx: Context, entity: EntityDeclaration, id: string): Promise<object>;
  find(ctx: Context, entity: EntityDeclaration, id: string): Promise<object | undefined>;
  create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
  delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
  all(ctx: Context, plan: QueryPlan): Promise<object[]>;
  first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
  count(ctx: Context, plan: QueryPlan): Promise<number>;
  page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
  each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
  transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}

export type DocumentChange = (document: object) => object | void | Promise<object | void>;

/** What it asks of the runtime, as part of the Host. */
export interface EntityHost {
  readonly entities: EntityOperations;
}
