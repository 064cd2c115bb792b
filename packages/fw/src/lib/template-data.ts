import { isMarkup, MARKUP } from "./html.ts";

/** A property of a template's data: own ones only, and entries of a Map, so that no prototype is ever reachable. */
export function get(from: unknown, key: string): unknown {
  if (from === undefined || from === null) return undefined;
  if (Object.hasOwn(from, key)) return (from as Record<string, unknown>)[key];
  if (from instanceof Map) return key === "size" ? from.size : from.get(key);
  return from instanceof Set && key === "size" ? from.size : undefined;
}

/** `(lookup object key)`: a property whose name is data. */
export function lookup(from: unknown, key: unknown): unknown {
  if (from instanceof Map && from.has(key)) return from.get(key);
  return typeof key === "string" || typeof key === "number" ? get(from, String(key)) : undefined;
}

/** True for values that `{{#if}}` accepts: not undefined, null, false, 0, "" or an empty list. */
export function truthy(value: unknown): boolean {
  if (!value) return false;
  if (typeof value !== "object") return true;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map || value instanceof Set) return value.size > 0;
  return !isMarkup(value) || value[MARKUP] !== "";
}

/** Returns the items that `{{#each}}` iterates over. */
export function values(of: unknown): readonly unknown[] {
  if (Array.isArray(of)) return of;
  if (typeof of !== "object" || of === null || isMarkup(of)) return [];
  if (of instanceof Map || of instanceof Set) return [...of.values()];
  if (Symbol.iterator in of) return [...(of as Iterable<unknown>)];
  return Object.values(of);
}

/** The key that belongs to each of `values`; undefined where that is its index. */
export function keys(of: unknown): readonly unknown[] | undefined {
  if (typeof of !== "object" || of === null || Array.isArray(of) || isMarkup(of)) return undefined;
  if (of instanceof Map) return [...of.keys()];
  return of instanceof Set || Symbol.iterator in of ? undefined : Object.keys(of);
}

/** A partial's data: the context's own properties under those that its call names. */
export function merge(context: unknown, named: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const base = context instanceof Map ? Object.fromEntries(context) : context;
  return typeof base === "object" && base !== null ? { ...base, ...named } : { ...named };
}

/** -1, 0 or 1 for two numbers, dates, bigints or strings; NaN where they have no order. */
export function compare(a: unknown, b: unknown): number {
  const left = orderKey(a);
  const right = orderKey(b);
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  if (left === undefined || right === undefined || typeof left === "string" || typeof right === "string") return NaN;
  return left < right ? -1 : left > right ? 1 : left == right ? 0 : NaN;
}

function orderKey(value: unknown): number | bigint | string | undefined {
  if (value instanceof Date) return value.getTime();
  return typeof value === "number" || typeof value === "bigint" || typeof value === "string" ? value : undefined;
}

/** `(eq a b)`: strictly equal; dates by their time. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}
