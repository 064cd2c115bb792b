import { encodeTagged } from "../../lib/tagged-json.ts";

/** Encodes equal values as equal strings, regardless of the order of their properties. */
export function canonicalText(value: unknown): string {
  return encodeTagged(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, property]) => [name, sorted(property)]));
}
