import type { EntityStore, Page, Query, Total } from "./contract.ts";
import { pageIdentity } from "./query-plan.ts";
import { totalIdentity } from "./total.ts";

/** The operations that run a query. */
export type QueryOperation = "query" | "count" | "total";

export type QueryArgs = { readonly [Name in QueryOperation]: Parameters<EntityStore[Name]> };

export interface QueryResults {
  readonly query: Page;
  readonly count: number;
  readonly total: Total;
}

export abstract class Queryable implements Pick<EntityStore, QueryOperation> {
  query(query: Query): Promise<Page> {
    return this.ask("query", [query]);
  }

  count(...args: QueryArgs["count"]): Promise<number> {
    return this.ask("count", args);
  }

  total(...args: QueryArgs["total"]): Promise<Total> {
    return this.ask("total", args);
  }

  protected abstract ask<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]>;
}

/** For each operation, a function that returns equal strings for equal results. */
export const resultIdentities: { readonly [Name in QueryOperation]: (answer: QueryResults[Name]) => string } = {
  query: pageIdentity,
  count: String,
  total: totalIdentity,
};

/** Returns equal strings for equal queries. */
export function queryIdentity(subject: string, args: unknown): string {
  return `${subject} ${JSON.stringify(args, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value))}`;
}

export function querySubject(name: QueryOperation, [{ kind }]: QueryArgs[QueryOperation]): string {
  return `a ${name === "total" ? "sum" : name} of ${kind}`;
}
