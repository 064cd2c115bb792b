import type { Filter, Query } from "../../contract.ts";
import type { Fields, Scalar, Value } from "../../values.ts";

/**
 * Returns the ids that a query finds, in order. Checks every document, so that the code states the contract's rules in
 * their simplest form.
 */
export function reference(documents: ReadonlyMap<string, Fields>, query: Query): string[] {
  const matching = [...documents].filter(([, fields]) => matches(fields, query));
  return matching.toSorted((x, y) => compareDocuments(x, y, query)).map(([id]) => id);
}

function matches(fields: Fields, { filters, orders }: Query): boolean {
  return (
    filters.every((filter) => satisfies(fields[filter.property], filter)) &&
    orders.every((order) => fields[order.property] !== undefined)
  );
}

function satisfies(value: Value | undefined, filter: Filter): boolean {
  if (value === undefined) return false;
  const values = (Array.isArray(value) ? value : [value]) as readonly Scalar[];
  if (filter.op === "in") return values.some((one) => filter.value.some((wanted) => compare(one, wanted) === 0));
  return values.some((one) => {
    const difference = compare(one, filter.value);
    if (filter.op === "==") return difference === 0;
    if (filter.op.endsWith("=") && difference === 0) return true;
    return filter.op.startsWith("<") ? difference < 0 : difference > 0;
  });
}

function compareDocuments([x, left]: [string, Fields], [y, right]: [string, Fields], query: Query): number {
  const isEqual = (property: string): boolean => query.filters.some((f) => f.op === "==" && f.property === property);
  const isAmong = (property: string): boolean => query.filters.some((f) => f.op === "in" && f.property === property);
  for (const { property, direction } of query.orders.filter((order) => !isEqual(order.property))) {
    const difference = compare(left[property] as Scalar, right[property] as Scalar);
    if (difference !== 0) return direction === "asc" ? difference : -difference;
  }
  const last = query.orders.findLast(({ property }) => !isEqual(property) && !isAmong(property));
  const difference = Buffer.compare(Buffer.from(x), Buffer.from(y));
  return last?.direction === "desc" ? -difference : difference;
}

function compare(x: Scalar, y: Scalar): number {
  const rank = rankOf(x) - rankOf(y);
  if (rank !== 0) return rank;
  if (typeof x === "number" && typeof y === "number") return compareNumbers(x, y);
  if (typeof x === "string" && typeof y === "string") return Buffer.compare(Buffer.from(x), Buffer.from(y));
  const [left, right] = [wholeOf(x), wholeOf(y)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function rankOf(value: Scalar): number {
  if (value === null) return 0;
  if (typeof value === "bigint" || value instanceof Date) return 1;
  return { boolean: 2, string: 3, number: 4 }[typeof value as "boolean" | "string" | "number"];
}

function compareNumbers(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return x < y ? -1 : x > y ? 1 : 0;
}

function wholeOf(value: Scalar): bigint {
  if (value instanceof Date) return BigInt(value.getTime()) * 1000n;
  return typeof value === "bigint" ? value : BigInt(Boolean(value));
}
