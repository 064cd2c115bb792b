import { distinct } from "../../../lib/grouped.ts";
import type { Document, Order, Query as Asked, RangeFilter } from "../../contract.ts";
import { isIndexable, isStorableId } from "../../document.ts";
import type { Plan } from "../../query-plan.ts";
import type { Scalar } from "../../values.ts";
import type {
  EntityResult,
  Filter,
  PropertyFilter,
  PropertyOrder,
  Query,
  QueryResultBatch,
} from "../rest/generated/datastore.ts";
import type { Datastore, ReadOptions } from "./datastore.ts";
import { encodeScalar, type DatastoreValue } from "./datastore-values.ts";
import { indexName, ruleName } from "./index-names.ts";
import { documentOf, isExpired, unfitIndexProperty } from "./stored-document.ts";

export interface QueryMatches {
  readonly documents: readonly DocumentWithCursor[];
  readonly readTime: string;
}

export interface DocumentWithCursor {
  readonly document: Document;
  /** Datastore's cursor after this document. */
  readonly cursor: string;
}

/** Translates a query for Datastore; returns undefined if no document can match. */
export function datastoreQuery(
  datastore: Datastore,
  plan: Plan,
  { filters }: Omit<Asked, "limit" | "after">,
): Query | undefined {
  if (plan.combinations.length === 0) return undefined;
  const conditions: Filter[] = [];
  for (const filter of filters) {
    const { key = false, outdated, unfit } = plan.kind.indexed.get(filter.property) ?? {};
    const encode = (value: Scalar): DatastoreValue => {
      if (unfit !== undefined) return encodeScalar(indexName({ name: filter.property, outdated, unfit }));
      if (outdated !== undefined) return encodeScalar(ruleName(outdated));
      return key ? keyValue(datastore, plan, value) : encodeScalar(value);
    };
    const name = key ? "__key__" : unfit === undefined ? filter.property : unfitIndexProperty;
    const isPossible = (value: Scalar): boolean => isIndexable(value) && (!key || isId(value));
    if (filter.op === "in") {
      const values = distinct(filter.value.filter(isPossible).map(encode), (value) => JSON.stringify(value));
      if (values.length === 0) return undefined;
      conditions.push(propertyFilter(name, "IN", { arrayValue: { values } }));
    } else if (filter.op === "==") {
      if (!isPossible(filter.value)) return undefined;
      conditions.push(propertyFilter(name, "EQUAL", encode(filter.value)));
    } else if (key && typeof filter.value !== "string") {
      // Ids are strings, so a value of any other type sorts before or after all of them.
      if (sortsAfterTexts(filter.value) !== filter.op.startsWith("<")) return undefined;
    } else if (key && typeof filter.value === "string" && !isStorableId(filter.value)) {
      const op = filter.op.startsWith("<") ? "LESS_THAN" : "GREATER_THAN_OR_EQUAL";
      conditions.push(propertyFilter(name, op, encode(nextId(filter.value))));
    } else {
      conditions.push(propertyFilter(name, operators[filter.op], encode(filter.value)));
    }
  }
  return {
    kind: [{ name: plan.kind.kind }],
    ...(conditions.length > 0 && { filter: { compositeFilter: { op: "AND", filters: conditions } } }),
    order: ordersOf(plan),
  };
}

/** Returns unexpired documents after a cursor, up to a limit. */
export async function findDocuments(
  datastore: Datastore,
  query: Query,
  limit: number,
  { after, readOptions }: { readonly after: string | undefined; readonly readOptions: ReadOptions | undefined },
): Promise<QueryMatches> {
  const documents: DocumentWithCursor[] = [];
  let startCursor = after;
  let options = readOptions;
  for (;;) {
    const remaining = limit - documents.length;
    const batch = await datastore.query({ ...query, limit: remaining, ...(startCursor && { startCursor }) }, options);
    const now = datastore.now();
    const { entityResults = [], readTime = "" } = batch;
    for (const result of entityResults)
      if (!isExpired(result, now)) documents.push({ document: documentOf(result), cursor: placeOf(result) });
    if (documents.length >= limit || isLast(batch, remaining)) return { documents, readTime };
    options ??= { readTime };
    startCursor = batch.endCursor;
  }
}

function placeOf({ cursor = "" }: EntityResult): string {
  return cursor;
}

function isLast({ moreResults, entityResults = [] }: QueryResultBatch, limit: number): boolean {
  return moreResults === "NO_MORE_RESULTS" || (moreResults !== "NOT_FINISHED" && entityResults.length < limit);
}

const operators: { readonly [Op in RangeFilter["op"]]: PropertyFilter["op"] } = {
  "<": "LESS_THAN",
  "<=": "LESS_THAN_OR_EQUAL",
  ">": "GREATER_THAN",
  ">=": "GREATER_THAN_OR_EQUAL",
};

function propertyFilter(name: string, op: PropertyFilter["op"], value: DatastoreValue): Filter {
  return { propertyFilter: { property: { name }, op, value } };
}

/** Returns the plan's sort orders. Ties are sorted by id, in the direction of the last order. */
function ordersOf({ kind, orders, direction }: Plan): readonly PropertyOrder[] {
  const resolved = orders.map((order) => ({
    ...order,
    property: kind.indexed.get(order.property)?.key ? "__key__" : order.property,
  }));
  const byKey = resolved.findIndex(({ property }) => property === "__key__");
  // Ids are unique, so later orders have no effect.
  const all: readonly Order[] =
    byKey === -1 ? [...resolved, { property: "__key__", direction }] : resolved.slice(0, byKey + 1);
  return all.map((order) => ({
    property: { name: order.property },
    direction: order.direction === "asc" ? "ASCENDING" : "DESCENDING",
  }));
}

function keyValue(datastore: Datastore, { kind }: Plan, id: Scalar): DatastoreValue {
  return { keyValue: datastore.keyOf({ kind: kind.kind, id: String(id) }) };
}

function isId(value: Scalar): boolean {
  return typeof value === "string" && isStorableId(value);
}

/**
 * Returns a bound in place of a string that cannot be an id. No id sorts between the string and the bound, because ids
 * have no NUL.
 */
function nextId(text: string): string {
  return `${text.split("\0", 1).join("")}\u0001`;
}

/** True for numbers, which sort after strings. Null, Dates, bigints and booleans sort before them. */
function sortsAfterTexts(value: Scalar): boolean {
  return typeof value === "number";
}
