import { pageDocuments } from "../../lib/limits.ts";
import type { Document, Page, Query, Total } from "../contract.ts";
import { openCursor, pageOfQuery, type Position } from "../cursor.ts";
import { decodeFields, valueOf } from "../document.ts";
import { mergeRows } from "../local/merge-rows.ts";
import {
  checkLimit,
  checkUpTo,
  fillingError,
  needsCurrentDocuments,
  orderValues,
  planOutdated,
  typedProperties,
  unfitDocumentsQuery,
  unfitError,
  type Plan,
} from "../query-plan.ts";
import { SumAccumulator, totalQuery } from "../total.ts";
import type { Sql } from "./connections.ts";
import type { SqlRow } from "./driver.ts";
import { planOnce } from "./plan-cache.ts";
import { entriesSql, Parameters, rangeSql, readingOf, type Reading } from "./query-sql.ts";
import type { Registry } from "./registry.ts";

/** The maximum number of entries to count when choosing the smallest scan. */
const sample = 200;

export interface Asking {
  /** Must be a snapshot if the query needs several statements. */
  readonly sql: Sql;
  readonly registry: Registry;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly cursorKey: () => Uint8Array;
  readonly plan: (query: Omit<Query, "limit" | "after">) => Plan;
}

export async function pageOf(asking: Asking, query: Query): Promise<Page> {
  checkLimit(query.limit);
  const plan = await planOf(asking, query);
  const position = query.after === undefined ? undefined : openCursor(asking.cursorKey(), query, query.after);
  const documents = await documentsOf(asking, plan, query.limit + 1, position, query);
  return pageOfQuery(asking.cursorKey(), query, plan, documents);
}

/** Counts the matching documents, up to `upTo`. */
export async function countOf(
  asking: Asking,
  query: Omit<Query, "limit" | "after">,
  upTo: number | undefined,
): Promise<number> {
  checkUpTo(upTo);
  const plan = await planOf(asking, query);
  const parameters = new Parameters();
  const ids = idsSql(asking, plan, parameters);
  if (ids === undefined) return 0;
  const limit = upTo === undefined ? "" : ` LIMIT ${upTo}`;
  const selects = unfitSelects(asking, plan, query, parameters).map((select) => `SELECT list, id FROM ${select} unfit`);
  const counting = `SELECT 0 AS list, count(*)::text AS id FROM (${ids}${limit}) ids`;
  const rows = await asking.sql.rows([counting, ...selects].join(" UNION ALL "), parameters.values);
  refuseUnfit(plan, rows);
  return Number(rows[0]?.["id"]);
}

/** Adds up a property page by page, because the documents may not all fit into memory. */
export async function totalOf(asking: Asking, query: Omit<Query, "limit" | "after">, property: string): Promise<Total> {
  const summed = totalQuery(query, property);
  const plan = await planOf(asking, summed);
  const indexed = plan.kind.indexed.get(property);
  const adding = new SumAccumulator();
  for (let position: Position | undefined; ;) {
    const documents = await documentsOf(asking, plan, pageDocuments, position, summed);
    for (const { id, fields } of documents) adding.add(indexed && valueOf(indexed, id, fields));
    const last = documents.at(-1);
    if (last === undefined || documents.length < pageDocuments) return adding.total;
    position = { values: orderValues(plan, last), id: last.id };
  }
}

/** Plans a query; fails with `filling` if its result depends on outdated documents. */
async function planOf(asking: Asking, query: Omit<Query, "limit" | "after">): Promise<Plan> {
  const plan = asking.plan(query);
  if (!needsCurrentDocuments(plan)) return plan;
  const outdated = await documentsOf(asking, planOutdated(plan.kind), 1, undefined);
  if (outdated.length > 0) throw fillingError(plan.kind);
  return plan;
}

export function documentOf({ id, version, expires, body }: SqlRow): Document {
  const fields = decodeFields(String(body));
  if (expires === null) return { id: String(id), version: String(version), fields };
  return { id: String(id), version: String(version), fields, expires: new Date(Number(expires)) };
}

const documentColumns = "d.id, d.version, d.expires, d.body";

async function documentsOf(
  asking: Asking,
  plan: Plan,
  limit: number,
  position: Position | undefined,
  query?: Pick<Query, "filters">,
): Promise<Document[]> {
  if (plan.indexes.length === 0) return byId(asking, plan, limit, position);
  if (plan.combinations.length === 0) return [];
  const parameters = new Parameters();
  const unfit = query === undefined ? [] : unfitSelects(asking, plan, query, parameters);
  const isOneList = plan.combinations.length + unfit.length === 1;
  const selects: string[] = [];
  for (const [i, combination] of plan.combinations.entries()) {
    const reading = await fewestFirst(asking.sql, readingOf(plan, asking.registry, combination, position));
    selects.push(`(${listSql(asking, plan, reading, parameters, isOneList ? "" : `${i} AS list,`)} LIMIT ${limit})`);
  }
  const rows = await asking.sql.rows([...selects, ...unfit].join(" UNION ALL "), parameters.values);
  refuseUnfit(plan, rows);
  if (plan.combinations.length === 1) return rows.map(documentOf);
  const lists: SqlRow[][] = plan.combinations.map(() => []);
  for (const row of rows) lists[Number(row["list"])]?.push(row);
  return mergeRows(plan, lists, limit, documentOf);
}

/** Returns the statement that selects the documents of one combination in order, with an extra column. */
function listSql({ now }: Asking, plan: Plan, reading: Reading, parameters: Parameters, column: string): string {
  const { from, where } = entriesSql(reading, parameters, plan.direction === "desc");
  const way = plan.direction === "desc" ? "DESC" : "ASC";
  return `SELECT ${column} ${documentColumns} FROM ${from}
    JOIN @@documents d ON d.kind = ${parameters.add(plan.kind.kind, "text")} AND d.id = a.id
    WHERE ${where} AND (d.expires IS NULL OR d.expires > ${parameters.add(now, "bigint")})
    ORDER BY a.head ${way}, a.rest ${way}`;
}

/**
 * Returns a statement for each typed property. It selects a document that the query would miss because its value does
 * not fit the type. The column `list` of its row is negative.
 */
function unfitSelects(
  { registry, now }: Asking,
  plan: Plan,
  query: Pick<Query, "filters">,
  parameters: Parameters,
): readonly string[] {
  return typedProperties(plan).map((property, i) => {
    const unfit = planOnce(plan.kind, unfitDocumentsQuery(plan.kind, property, query));
    const reading = readingOf(unfit, registry, unfit.combinations[0] ?? [], undefined);
    const { from, where } = entriesSql(reading, parameters, false);
    return `(SELECT ${-1 - i} AS list, ${documentColumns} FROM ${from}
      JOIN @@documents d ON d.kind = ${parameters.add(plan.kind.kind, "text")} AND d.id = a.id
      WHERE ${where} AND (d.expires IS NULL OR d.expires > ${parameters.add(now, "bigint")}) LIMIT 1)`;
  });
}

/** Throws a PlatformError `unfit` if `unfitSelects` found a document that the query would miss. */
function refuseUnfit(plan: Plan, rows: readonly SqlRow[]): void {
  const unfit = rows.find(({ list }) => Number(list) < 0);
  if (unfit === undefined) return;
  throw unfitError(plan.kind, typedProperties(plan)[-1 - Number(unfit["list"])] ?? "", String(unfit["id"]));
}

async function byId(
  { sql, now }: Asking,
  plan: Plan,
  limit: number,
  position: Position | undefined,
): Promise<Document[]> {
  const rows = await sql.rows(
    `SELECT ${documentColumns} FROM @@documents d WHERE d.kind = $1 AND d.id > $2
     AND (d.expires IS NULL OR d.expires > $3) ORDER BY d.id LIMIT ${limit}`,
    [plan.kind.kind, position?.id ?? "", now],
  );
  return rows.map(documentOf);
}

/** Returns the statement that selects the id of each matching document once; undefined if none can match. */
function idsSql({ registry }: Asking, plan: Plan, parameters: Parameters): string | undefined {
  if (plan.indexes.length === 0)
    return `SELECT d.id FROM @@documents d WHERE d.kind = ${parameters.add(plan.kind.kind, "text")}`;
  const selects = plan.combinations.map((combination) => {
    const { from, where } = entriesSql(readingOf(plan, registry, combination, undefined), parameters, false);
    return `SELECT a.id FROM ${from} WHERE ${where}`;
  });
  return selects.length === 0 ? undefined : selects.join(" UNION ");
}

/** Puts the scan with the fewest entries first. Scans with at least `sample` entries are considered equal. */
async function fewestFirst(sql: Sql, { scans, bounds }: Reading): Promise<Reading> {
  if (scans.length < 2) return { scans, bounds };
  const parameters = new Parameters();
  const counts = scans.map((scan) => {
    const range = rangeSql(scan, bounds, parameters, false);
    const ix = parameters.add(scan.ix, "integer");
    return `(SELECT count(*) FROM (SELECT FROM @@entries a WHERE a.ix = ${ix} AND ${range} LIMIT ${sample}) few)`;
  });
  const [row] = await sql.rows(`SELECT ARRAY[${counts.join(", ")}]::int[] AS counts`, parameters.values);
  const found = row?.["counts"] as unknown as readonly number[];
  const sorted = scans.map((scan, i) => ({ scan, count: found[i] ?? 0 })).toSorted((a, b) => a.count - b.count);
  return { scans: sorted.map(({ scan }) => scan), bounds };
}
