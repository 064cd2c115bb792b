import { compareText } from "../../lib/names.ts";
import { grouped } from "../../lib/grouped.ts";
import { searchedFields } from "../../lib/derived-indexes.ts";
import { tenantProperty } from "../../lib/tenant-fields.ts";
import { inSourceOrder, type Span } from "../../model/diagnostic.ts";
import type { Package } from "../../model/app.ts";
import { allOfKind, declarationKey } from "../../model/declarations.ts";
import type { CompositeIndex, FieldOrder, QueryShape } from "../../model/entity.ts";
import { searchField, type QueriesRead } from "../readers/query.ts";
import { minimalCover } from "./minimal-cover.ts";
import { keyAt } from "./report.ts";

export interface EntityIndexes {
  readonly name: string;
  /** The fields that hold lists. */
  readonly many: ReadonlySet<string>;
  /** The property that indexes the terms of `Search` fields; undefined without such fields. */
  readonly search: string | undefined;
  /** True if every query filters by tenant. */
  readonly isSeparate: boolean;
}

/** A query shape that single-field indexes cannot serve, with the location of the query. */
interface IndexDemand {
  readonly entity: string;
  readonly equal: readonly string[];
  readonly order: readonly FieldOrder[];
  readonly at: Span;
}

/**
 * Computes the composite indexes that a Datastore-mode database needs for these queries; `minimalCover` keeps their
 * number low. For equality filters alone, Datastore merges single-field indexes. With a sort order, it merges indexes
 * of the same order, which together must contain exactly the equality fields of the query.
 */
export function compositeIndexes(
  entities: ReadonlyMap<string, EntityIndexes>,
  { uses }: Pick<QueriesRead, "uses">,
): readonly CompositeIndex[] {
  const demands = uses.flatMap(({ entity, shapes, at }) => {
    const entityIndexes = entities.get(declarationKey(entity));
    return entityIndexes === undefined ? [] : shapes.flatMap((shape) => demandsOf(entityIndexes, shape, at));
  });
  const groups = grouped(demands, ({ entity, order }) => JSON.stringify([entity, order]));
  return [...groups.values()].flatMap(indexesOf).toSorted(byName);
}

/** Returns the facts about entities that indexes depend on, by the `declarationKey` of the constant. */
export function entitiesByConstant(packages: readonly Package[]): ReadonlyMap<string, EntityIndexes> {
  return new Map(
    allOfKind(packages, "entity").map(({ declaration, name, indexed, tenant }) => {
      const many = new Set(indexed.filter((field) => field.many).map((field) => field.name));
      const search = [...many].find((each) => searchedFields(each) !== undefined);
      return [declarationKey(declaration), { name, many, search, isSeparate: tenant !== undefined }];
    }),
  );
}

/** Lists the composite indexes that a query shape demands. A range filter implies an order by its field. */
function demandsOf(
  { name, many, search, isSeparate }: EntityIndexes,
  { equal: compared, range, orders }: QueryShape,
  at: Span,
): readonly IndexDemand[] {
  const fields = compared.map((field) => (field === searchField ? (search ?? field) : field));
  const equal = isSeparate ? [tenantProperty, ...fields] : fields;
  const implied = range === undefined || orders.length > 0 ? [] : [{ field: range, direction: "asc" as const }];
  const order = [...orders, ...implied].filter(({ field }) => !equal.includes(field));
  if (order.length === 0 || (equal.length === 0 && order.length === 1)) return [];
  return splitLists(equal, many).map((fields) => ({ entity: name, equal: fields, order, at }));
}

/**
 * Splits the equality fields of a demand so that each index contains at most one list field: two would need an entry
 * for each pair of elements.
 */
function splitLists(equal: readonly string[], many: ReadonlySet<string>): readonly (readonly string[])[] {
  const lists = equal.filter((field) => many.has(field));
  if (lists.length < 2) return [equal];
  return lists.map((list) => equal.filter((field) => field === list || !many.has(field)));
}

function indexesOf(demands: readonly IndexDemand[]): readonly CompositeIndex[] {
  const [first] = demands;
  if (!first) return [];
  const sets = demands.map(({ equal }) => equal);
  return minimalCover(sets).map((equal) => ({
    entity: first.entity,
    fields: [...equal.map((field): FieldOrder => ({ field, direction: "asc" })), ...first.order],
    neededBy: uniquePlaces(demands.filter((demand) => serves(equal, demand))),
  }));
}

function serves(index: readonly string[], { equal }: IndexDemand): boolean {
  return index.length === 0 ? equal.length === 0 : index.every((field) => equal.includes(field));
}

function uniquePlaces(demands: readonly IndexDemand[]): readonly Span[] {
  return [...new Map(demands.map(({ at }) => [keyAt(at), at])).values()].toSorted(inSourceOrder);
}

function byName(one: CompositeIndex, other: CompositeIndex): number {
  return compareText(JSON.stringify([one.entity, one.fields]), JSON.stringify([other.entity, other.fields]));
}
