import { Fault, StatusError } from "../../declare/errors.ts";
import type { QueryPlan } from "../../declare/entity-query.ts";
import { mostDocuments, pageDocuments, queryCombinations, queryPage } from "../../lib/limits.ts";
import type { EntityStore, Filter, Query, Total, Transaction } from "../../platform/contract.ts";
import type { Scalar } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { refusing, type Refusals } from "../response/refusing.ts";
import { documentOf, indexedValue } from "./document.ts";

/** A query, whose documents it is about, and what reads them: the store, or a transaction on it. */
export interface AskedQuery {
  readonly reader: Pick<EntityStore | Transaction, "query" | "count" | "total">;
  readonly entity: BundledEntity;
  readonly plan: QueryPlan;
}

/** The query as the platform knows it. */
function platformQuery({ entity, plan: { filters, orders } }: AskedQuery): Omit<Query, "limit"> {
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
export async function readAll(asked: AskedQuery): Promise<object[]> {
  const { entity, plan } = asked;
  const found: object[] = [];
  const limit = limitOf(plan, mostDocuments + 1);
  for await (const document of readEach(asked, limit)) found.push(document);
  if (found.length > mostDocuments)
    throw new Fault(
      `a query of "${entity.name}" finds more than ${mostDocuments} documents; read it with page or each`,
    );
  return found;
}

/** The documents of a query one after the other. */
export async function* readEach(
  asked: AskedQuery,
  limit: number = limitOf(asked.plan, Infinity),
): AsyncGenerator<object> {
  const { reader, entity } = asked;
  const query = platformQuery(asked);
  let left = limit;
  let after: string | undefined;
  do {
    const size = Math.min(left, pageDocuments);
    const page = await refusing(queryRefusals, () =>
      reader.query({ ...query, limit: size, ...(after === undefined ? {} : { after }) }),
    );
    for (const document of page.documents) yield documentOf(entity, document);
    left -= page.documents.length;
    after = page.next;
  } while (after !== undefined && left > 0);
}

/** One page of a query. An empty cursor starts at the beginning. */
export async function readPage(
  asked: AskedQuery,
  cursor: string | undefined,
): Promise<{ readonly items: object[]; readonly next?: string }> {
  const after = cursor === undefined || cursor === "" ? {} : { after: cursor };
  const { reader, entity, plan } = asked;
  const query = { ...platformQuery(asked), limit: limitOf(plan, queryPage), ...after };
  const page = await refusing(queryRefusals, () => reader.query(query));
  const items = page.documents.map((document) => documentOf(entity, document));
  return page.next === undefined ? { items } : { items, next: page.next };
}

export async function readCount(asked: AskedQuery): Promise<number> {
  const { reader, plan } = asked;
  const upTo = plan.limit === undefined ? undefined : limitOf(plan, 0);
  return refusing(queryRefusals, () => reader.count(platformQuery(asked), upTo));
}

export async function readTotal(asked: AskedQuery, field: string): Promise<Total> {
  return refusing(queryRefusals, () => asked.reader.total(platformQuery(asked), field));
}

/** Of what a visitor may have chosen of a query: its cursor and the values that it compares with. */
const queryRefusals: Refusals = {
  cursor: () => new StatusError(400, messages.cursor),
  combinations: () => new StatusError(400, messages.queryValues(queryCombinations)),
  indexed: indexedValue,
};
