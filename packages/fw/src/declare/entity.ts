import type { IDKey, TransientKey } from "./binding.ts";
import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { hosted } from "./slot.ts";
import { query, type EntityHost, type EntityQuery } from "./entity-query.ts";
import type { Refused } from "./route-rules.ts";

/** A document as it comes back: without what is not kept. */
export type Stored<T> = [Extract<TransientKey<T>, RequiredKey<T>>] extends [never] ? T : Optional<T, TransientKey<T>>;

/** A document to create: its id may be left out, and so may what is not kept. */
export type New<T> = Optional<T, IDKey<T> | TransientKey<T>>;

/** A document to write under its id. */
export type Written<T> = Optional<T, TransientKey<T>>;

type RequiredKey<T> = { [P in keyof T]-?: undefined extends T[P] ? never : P }[keyof T];

/** The alternatives of a union stay apart. */
type Optional<T, Key> = T extends unknown
  ? { [P in keyof T as P extends Key ? never : P]: T[P] } & { [P in keyof T as P extends Key ? P : never]?: T[P] }
  : never;

/** Documents of one type, kept by id. A document is at most 1 MiB. */
export interface EntityDeclaration<T extends object = object> {
  /** @internal */
  readonly kind: "entity";
  /** @internal */
  readonly name: string;
  /** The document; a miss is NotFound. */
  get(ctx: Context, id: string): Promise<Stored<T>>;
  /** The document, or undefined. */
  find(ctx: Context, id: string): Promise<Stored<T> | undefined>;
  /** The documents in the order of the ids, each one's undefined where there is none; of each 1,000 ids one moment. */
  getMany(ctx: Context, ids: readonly string[]): Promise<(Stored<T> | undefined)[]>;
  /** Keeps a new document, under an id of its own making where none is given. An id that is taken is a 409. */
  create(ctx: Context, document: New<T>): Promise<Stored<T>>;
  /** Keeps a document under its id, whether there is one or not. */
  put(ctx: Context, document: Written<T>): Promise<Stored<T>>;
  /**
   * Replaces a document by what `change` makes of it, in a transaction: when somebody else writes it meanwhile, `change`
   * runs again. It may alter and return what it gets, or return another document. A miss is NotFound.
   */
  update(
    ctx: Context,
    id: string,
    change: (document: Stored<T>) => Written<T> | void | Promise<Written<T> | void>,
  ): Promise<Stored<T>>;
  /** Removes the document; does nothing where there is none. */
  delete(ctx: Context, id: string): Promise<void>;
  /** All documents, to be narrowed by `where`, sorted by `orderBy` and read by `all`, `first`, `count`, `page` or `each`. */
  query(): EntityQuery<T>;
}

/** `unknown` where a type has one `ID` field, else the rule that it breaks. */
type EntityRules<T> = [IDKey<T>] extends [never]
  ? Refused<"fw/entity-id: the type of an entity has one field of the type ID">
  : IsUnion<IDKey<T>> extends true
    ? Refused<"fw/entity-id: the type of an entity has only one field of the type ID">
    : unknown;

type IsUnion<K, All = K> = K extends unknown ? ([All] extends [K] ? false : true) : never;

/**
 * Declares what is kept: `Entity<Order>("orders")`, of a type with one `ID` field. Fields to filter and order by are
 * `Index<T>`, fields that are not kept `Transient<T>`.
 */
export function Entity<T extends object>(name: string & EntityRules<T>): EntityDeclaration<T> {
  const entity: EntityDeclaration<T> = {
    kind: "entity",
    name,
    get: (ctx, id) => hosted<EntityHost>(ctx).entities.get(ctx, plain, id) as Promise<Stored<T>>,
    find: (ctx, id) => hosted<EntityHost>(ctx).entities.find(ctx, plain, id) as Promise<Stored<T> | undefined>,
    getMany: (ctx, ids) =>
      hosted<EntityHost>(ctx).entities.getMany(ctx, plain, ids) as Promise<(Stored<T> | undefined)[]>,
    create: (ctx, document) => hosted<EntityHost>(ctx).entities.create(ctx, plain, document) as Promise<Stored<T>>,
    put: (ctx, document) => hosted<EntityHost>(ctx).entities.put(ctx, plain, document) as Promise<Stored<T>>,
    update: (ctx, id, change) =>
      hosted<EntityHost>(ctx).entities.update(ctx, plain, id, change as never) as Promise<Stored<T>>,
    delete: (ctx, id) => hosted<EntityHost>(ctx).entities.delete(ctx, plain, id),
    query: () => query<T>({ entity: plain, filters: [], orders: [] }),
  };
  const plain = entity as unknown as EntityDeclaration;
  return declared(entity);
}

/**
 * Reads and writes of several entities that happen at one moment, or not at all: inside `work`, `tx` goes where `ctx`
 * goes. When something that was read changes meanwhile, `work` runs again from its beginning, so it should do nothing
 * else. An error that it throws writes nothing.
 */
export function transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  return hosted<EntityHost>(ctx).entities.transaction(ctx, work);
}
