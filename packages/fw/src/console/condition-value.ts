import { decodeUntrusted } from "../lib/tagged-json.ts";
import type { Scalar } from "../platform/values.ts";
import { parseDate } from "../runtime/decode/rfc3339.ts";
import { BadInput } from "./input.ts";

/** Parsers by type. Each returns undefined if the text is not a value of its type. */
const readers: Readonly<Record<string, (text: string, json: unknown) => Scalar | undefined>> = {
  string: (text, json) => (typeof json === "string" ? json : text),
  number: (_text, json) => (typeof json === "number" ? json : undefined),
  bigint: (text, json) => (typeof json === "bigint" ? json : /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined),
  boolean: (_text, json) => (typeof json === "boolean" ? json : undefined),
  date: (text, json) => (json instanceof Date ? json : parseDate(typeof json === "string" ? json : text)),
  null: (_text, json) => (json === null ? null : undefined),
};

/** Types in the order to try. `string` is last, because any text is a valid string. */
const order = ["null", "boolean", "bigint", "number", "date", "string"];

/**
 * Parses the value that a user compares a field with. `type` is the field's type in the platform's notation, such as
 * `number|undefined`. If it is unknown, text that is not JSON is a string. Throws if the text does not fit the type.
 */
export function conditionValue(field: string, text: string, type: string | undefined): Scalar {
  const json = jsonIn(text);
  const types = new Set(type?.split("|").map((each) => each.replace(/(?:\[\])+$/, "")));
  if (types.size === 0) return json === undefined ? text : json;
  for (const name of order) {
    const value = types.has(name) ? readers[name]?.(text, json) : undefined;
    if (value !== undefined) return value;
  }
  const names = order.filter((name) => types.has(name)).map((name) => examples[name]);
  throw new BadInput(`${field}: ${JSON.stringify(text)} is not ${names.join(" or ")}`);
}

const examples: Readonly<Record<string, string>> = {
  null: "null",
  boolean: "true or false",
  bigint: "a 64-bit integer",
  number: "a number",
  date: "a date such as 2026-01-31T12:00:00Z",
  string: "a string",
};

function jsonIn(text: string): Scalar | undefined {
  try {
    const value = decodeUntrusted(text, 2);
    return typeof value !== "object" || value === null || value instanceof Date ? (value as Scalar) : undefined;
  } catch {
    return undefined;
  }
}
