import type { Document } from "../contract.ts";
import type { Position } from "../cursor.ts";
import type { Plan } from "../query-plan.ts";
import type { Scalar } from "../values.ts";
import type { Catalog } from "./catalog.ts";
import { documentOf } from "./documents.ts";
import { mergeRows } from "./merge-rows.ts";
import { entriesSql, rangeSql, type Sql } from "./query-sql.ts";
import { boundsOf, scansOf, type Bounds, type Scan } from "./scan.ts";
import type { Database, Row, Statement } from "./sqlite.ts";

/** The maximum number of entries to count when choosing the smallest scan. */
const sample = 200;

/** Executes query plans using index entries. */
export class Queries {
  readonly #database: Database;
  readonly #catalog: Catalog;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database, catalog: Catalog) {
    this.#database = database;
    this.#catalog = catalog;
  }

  /** Returns up to `limit` unexpired documents after the position, in the plan's order. */
  documents(plan: Plan, limit: number, position: Position | undefined, now: number): Document[] {
    if (plan.indexes.length === 0) return this.#byId(plan, limit, position, now);
    const lists = plan.combinations.map((combination) => this.#matchingRows(plan, combination, limit, position, now));
    return lists.length === 1 ? (lists[0] as Row[]).map(readDocument) : mergeRows(plan, lists, limit, readDocument);
  }

  count(plan: Plan, upTo: number | undefined): number {
    const limit = upTo ?? -1;
    if (plan.indexes.length === 0)
      return this.#number(
        "SELECT count(*) FROM (SELECT 1 FROM documents WHERE kind = ? LIMIT ?)",
        plan.kind.kind,
        limit,
      );
    if (plan.combinations.length === 0) return 0;
    const parts = plan.combinations.map((combination) =>
      entriesSql(...this.#scan(plan, combination, undefined), false),
    );
    const union = parts.map(({ from, where }) => `SELECT a.id FROM ${from.text} WHERE ${where.text}`).join(" UNION ");
    const values = parts.flatMap(({ from, where }) => from.values.concat(where.values));
    return this.#number(`SELECT count(*) FROM (${union} LIMIT ?)`, ...values, limit);
  }

  #byId(plan: Plan, limit: number, position: Position | undefined, now: number): Document[] {
    const rows = this.#statement(
      `SELECT version, expires, body, id FROM documents WHERE kind = ? AND id > ? AND ${unexpired} ORDER BY id LIMIT ?`,
    ).all(plan.kind.kind, position?.id ?? "", now, limit);
    return rows.map(readDocument);
  }

  #matchingRows(
    plan: Plan,
    combination: readonly Scalar[],
    limit: number,
    position: Position | undefined,
    now: number,
  ): Row[] {
    const [scans, bounds] = this.#scan(plan, combination, position);
    const { from, where } = entriesSql(scans, bounds, plan.direction === "desc");
    const direction = plan.direction === "desc" ? "DESC" : "ASC";
    return this.#statement(
      `SELECT d.version, d.expires, d.body, a.id FROM ${from.text} CROSS JOIN documents d
       ON d.kind = ? AND d.id = a.id WHERE ${where.text} AND ${unexpired} ORDER BY a.key ${direction}, a.id ${direction} LIMIT ?`,
    ).all(...from.values, plan.kind.kind, ...where.values, now, limit);
  }

  #scan(plan: Plan, combination: readonly Scalar[], position: Position | undefined): [readonly Scan[], Bounds] {
    const bounds = boundsOf(plan, combination, position);
    return [this.#fewestFirst(scansOf(plan, this.#catalog, combination), bounds), bounds];
  }

  /** Puts the scan with the fewest entries first. Scans with at least `sample` entries are considered equal. */
  #fewestFirst(scans: readonly Scan[], bounds: Bounds): readonly Scan[] {
    if (scans.length < 2) return scans;
    const sized = scans.map((scan) => {
      const range = rangeSql(scan, bounds, false);
      const text = `SELECT count(*) FROM (SELECT 1 FROM entries a WHERE a.ix = ? AND ${range.text} LIMIT ${sample})`;
      return { scan, count: this.#number(text, scan.ix, ...range.values) };
    });
    return sized.toSorted((a, b) => a.count - b.count).map(({ scan }) => scan);
  }

  #number(text: string, ...values: Sql["values"]): number {
    return Number(this.#statement(text).get(...values)?.[0]);
  }

  #statement(text: string): Statement {
    const cached = this.#statements.get(text);
    if (cached !== undefined) return cached;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

const unexpired = "(expires IS NULL OR expires > ?)";

/** Reads a document from a row that ends with its id. */
function readDocument(row: Row): Document {
  return documentOf(String(row[3]), row);
}
