import { Fault, StatusError } from "../../declare/errors.ts";
import type { QueryPlan } from "../../declare/entity-query.ts";
import { mostDocuments, pageDocuments, queryCombinations, queryPage } from "../../lib/limits.ts";
import type { EntityStore, Filter, Query, Total, Transaction } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Scalar } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { foundDocument, indexedValue } from "./document.ts";

/** What reads queries: the store, or a transaction on it. */
export type Reader = Pick<EntityStore | Transaction, "query" | "count" | "total">;

/** The query as the platform knows it. */
function platformQuery(entity: BundledEntity, { filters, orders }: QueryPlan): Omit<Query, "limit"> {
  return {
    kind: entity.name,
    filters: filters.map(platformFilter),
    // An order by a field that has one value only would hide that the range's field comes first.
    orders: orders
      .filter(({ field }) => !filters.some((each) => each.field === field && each.operator === "=="))
      .map(({ field, direction }) => ({ property: field, direction })),
  };
}

/** A property of many values equals each of them. */
function platformFilter({ field, operator, value }: QueryPlan["filters"][number]): Filter {
  if (value === undefined)
    throw new Fault(`where("${field}", "${operator}", undefined): there is nothing to compare with`);
  if (operator === "in") return { property: field, op: "in", value: value as readonly Scalar[] };
  return { property: field, op: operator === "contains" ? "==" : operator, value: value as Scalar };
}

/** The limit of a query; a visitor may have chosen it. */
export function limitOf({ limit }: QueryPlan, otherwise: number): number {
  if (limit === undefined) return otherwise;
  if (!Number.isInteger(limit) || limit < 1 || limit > pageDocuments) {
    throw new StatusError(400, messages.queryLimit(pageDocuments));
  }
  return limit;
}

/** Every document of a query, up to its limit. */
export async function readAll(reader: Reader, entity: BundledEntity, plan: QueryPlan): Promise<object[]> {
  const found: object[] = [];
  const limit = limitOf(plan, mostDocuments + 1);
  for await (const document of readEach(reader, entity, plan, limit)) found.push(document);
  if (found.length > mostDocuments)
    throw new Fault(
      `a query of "${entity.name}" finds more than ${mostDocuments} documents; read it with page or each`,
    );
  return found;
}

/** The documents of a query one after the other. */
export async function* readEach(
  reader: Reader,
  entity: BundledEntity,
  plan: QueryPlan,
  limit: number = limitOf(plan, Infinity),
): AsyncGenerator<object> {
  const query = platformQuery(entity, plan);
  let left = limit;
  let after: string | undefined;
  do {
    const size = Math.min(left, pageDocuments);
    const page = await asked(() => reader.query({ ...query, limit: size, ...(after === undefined ? {} : { after }) }));
    for (const document of page.documents) yield foundDocument(entity, document);
    left -= page.documents.length;
    after = page.next;
  } while (after !== undefined && left > 0);
}

/** One page of a query. An empty cursor starts at the beginning. */
export async function readPage(
  reader: Reader,
  entity: BundledEntity,
  plan: QueryPlan,
  cursor: string | undefined,
): Promise<{ readonly items: object[]; readonly next?: string }> {
  const after = cursor === undefined || cursor === "" ? {} : { after: cursor };
  const query = { ...platformQuery(entity, plan), limit: limitOf(plan, queryPage), ...after };
  const page = await asked(() => reader.query(query));
  const items = page.documents.map((document) => foundDocument(entity, document));
  return page.next === undefined ? { items } : { items, next: page.next };
}

export async function readCount(reader: Reader, entity: BundledEntity, plan: QueryPlan): Promise<number> {
  const upTo = plan.limit === undefined ? undefined : limitOf(plan, 0);
  return asked(() => reader.count(platformQuery(entity, plan), upTo));
}

export async function readTotal(reader: Reader, entity: BundledEntity, plan: QueryPlan, field: string): Promise<Total> {
  return asked(() => reader.total(platformQuery(entity, plan), field));
}

/** Makes a refusal of what a visitor may have chosen of a query: its cursor and the values that it compares with. */
async function asked<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isPlatformError(error, "cursor")) throw new StatusError(400, messages.cursor);
    if (isPlatformError(error, "combinations")) throw new StatusError(400, messages.queryValues(queryCombinations));
    if (isPlatformError(error, "indexed")) throw indexedValue();
    throw error;
  }
}
