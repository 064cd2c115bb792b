import { isMarkup, MARKUP } from "./html.ts";

/**
 * Returns a property of a template's data; undefined if there is none. Reads only own properties, entries of Maps, and
 * the size of Maps and Sets, so that prototypes are unreachable.
 */
export function get(from: unknown, key: string): unknown {
  if (from === undefined || from === null) return undefined;
  if (Object.hasOwn(from, key)) return (from as Record<string, unknown>)[key];
  if (from instanceof Map) return key === "size" ? from.size : from.get(key);
  return from instanceof Set && key === "size" ? from.size : undefined;
}

/** Implements `(lookup object key)`: reads a property whose name comes from data. */
export function lookup(from: unknown, key: unknown): unknown {
  if (from instanceof Map && from.has(key)) return from.get(key);
  return typeof key === "string" || typeof key === "number" ? get(from, String(key)) : undefined;
}

/** True for values that `{{#if}}` accepts: all except JavaScript's falsy values, empty collections and empty markup. */
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

/** Returns the key of each item of `values`; undefined if the keys are indexes. */
export function keys(of: unknown): readonly unknown[] | undefined {
  if (typeof of !== "object" || of === null || Array.isArray(of) || isMarkup(of)) return undefined;
  if (of instanceof Map) return [...of.keys()];
  return of instanceof Set || Symbol.iterator in of ? undefined : Object.keys(of);
}

/** Returns a partial's data: the context's own properties, overridden by the call's named arguments. */
export function merge(context: unknown, named: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const base = context instanceof Map ? Object.fromEntries(context) : context;
  return typeof base === "object" && base !== null ? { ...base, ...named } : { ...named };
}

/** Compares two numbers, dates, bigints or strings: returns -1, 0 or 1, or NaN if they have no order. */
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

/** Implements `(eq a b)`: strict equality, except that dates are compared by time. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}
