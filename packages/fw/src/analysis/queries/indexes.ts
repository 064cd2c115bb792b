import { grouped } from "../../lib/grouped.ts";
import { inSourceOrder, type Span } from "../../model/diagnostic.ts";
import type { Package } from "../../model/app.ts";
import { allOfKind, declarationKey } from "../../model/declarations.ts";
import type { CompositeIndex, FieldOrder, QueryShape } from "../../model/entity.ts";
import type { QueriesRead } from "../readers/query.ts";
import { coverOf } from "./cover.ts";
import { keyAt } from "./report.ts";

/** What of an entity matters to its indexes. */
export interface EntityIndexes {
  readonly name: string;
  /** The fields that hold lists. */
  readonly many: ReadonlySet<string>;
}

/** A shape that single-field indexes do not serve, and a place that reads by it. */
interface Demand {
  readonly entity: string;
  readonly equal: readonly string[];
  readonly order: readonly FieldOrder[];
  readonly at: Span;
}

/**
 * The composite indexes that a Datastore-mode database needs for these queries, as few as possible. Equalities alone are
 * served by merging the fields' own indexes. Where there is an order, indexes of the same order are merged, so that all of
 * a query's equalities have to be in some of them, and none that it does not have in any.
 */
export function compositeIndexes(
  entities: ReadonlyMap<string, EntityIndexes>,
  { uses }: Pick<QueriesRead, "uses">,
): readonly CompositeIndex[] {
  const demands = uses.flatMap(({ entity, shapes, at }) => {
    const known = entities.get(declarationKey(entity));
    return known === undefined ? [] : shapes.flatMap((shape) => demandsOf(known, shape, at));
  });
  // Demands of one entity and one order.
  const groups = grouped(demands, ({ entity, order }) => JSON.stringify([entity, order]));
  return [...groups.values()].flatMap(indexesOf).toSorted(byName);
}

/** The entities by the constants that hold them. */
export function entitiesByConstant(packages: readonly Package[]): ReadonlyMap<string, EntityIndexes> {
  return new Map(
    allOfKind(packages, "entity").map(({ declaration, name, indexed }) => {
      const many = new Set(indexed.filter((field) => field.many).map((field) => field.name));
      return [declarationKey(declaration), { name, many }];
    }),
  );
}

/** What a query is sorted by once its equalities hold; a range sorts by its field. */
function demandsOf({ name, many }: EntityIndexes, { equal, range, orders }: QueryShape, at: Span): readonly Demand[] {
  const implied = range === undefined || orders.length > 0 ? [] : [{ field: range, direction: "asc" as const }];
  const order = [...orders, ...implied].filter(({ field }) => !equal.includes(field));
  if (order.length === 0 || (equal.length === 0 && order.length === 1)) return [];
  return oneList(equal, many).map((fields) => ({ entity: name, equal: fields, order, at }));
}

/** An index holds one list at most: of two it would have an entry for each pair of elements. */
function oneList(equal: readonly string[], many: ReadonlySet<string>): readonly (readonly string[])[] {
  const lists = equal.filter((field) => many.has(field));
  if (lists.length < 2) return [equal];
  return lists.map((list) => equal.filter((field) => field === list || !many.has(field)));
}

/** The indexes of one entity and one order. */
function indexesOf(demands: readonly Demand[]): readonly CompositeIndex[] {
  const [first] = demands;
  if (!first) return [];
  const sets = demands.map(({ equal }) => equal);
  return coverOf(sets).map((equal) => ({
    entity: first.entity,
    fields: [...equal.map((field): FieldOrder => ({ field, direction: "asc" })), ...first.order],
    neededBy: places(demands.filter((demand) => serves(equal, demand))),
  }));
}

function serves(index: readonly string[], { equal }: Demand): boolean {
  return index.length === 0 ? equal.length === 0 : index.every((field) => equal.includes(field));
}

function places(demands: readonly Demand[]): readonly Span[] {
  return [...new Map(demands.map(({ at }) => [keyAt(at), at])).values()].toSorted(inSourceOrder);
}

function byName(one: CompositeIndex, other: CompositeIndex): number {
  const a = JSON.stringify([one.entity, one.fields]);
  const b = JSON.stringify([other.entity, other.fields]);
  return a < b ? -1 : a > b ? 1 : 0;
}
