import type { QueryArgs, QueryOperation } from "./query-operations.ts";

/**
 * Copies the arguments of a query, so that later changes by the caller have no effect. Clones only filters whose value
 * is an object, because `structuredClone` is slower than everything else in a query.
 */
export function copyOfArgs<Name extends QueryOperation>([query, ...others]: QueryArgs[Name]): QueryArgs[Name] {
  const filters = query.filters.map((each) => (typeof each.value === "object" ? structuredClone(each) : { ...each }));
  const copy = { ...query, filters, orders: query.orders.map((each) => ({ ...each })) };
  return [copy, ...others] as unknown as QueryArgs[Name];
}
