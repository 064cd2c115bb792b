import { documentDepth } from "../lib/limits.ts";
import { exceeds } from "../lib/utf8.ts";
import { PlatformError } from "./errors.ts";
import type { Fields, Value } from "./values.ts";

/** Limit: UTF-8 bytes in one string of a stored document. */
const documentTextBytes = 1_048_487;

/**
 * Checks that every platform can store the fields. Otherwise throws a PlatformError `document`, `shape` or `too-large`
 * that names the property. Every platform enforces Datastore's limits.
 */
export function checkShape(fields: Fields): void {
  checkObject(fields, "", 0);
}

function checkObject(fields: Fields, path: string, depth: number): void {
  for (const name of Object.keys(fields)) {
    const inner = path === "" ? name : `${path}.${name}`;
    if (name === "" || /^__.*__$/s.test(name)) throw misshapen(inner, "has a name that is empty or of the form __…__");
    const value = fields[name];
    if (value !== undefined) checkValue(value, inner, depth);
  }
}

/** `depth` counts the enclosing objects and lists, not including the document itself. */
function checkValue(value: Value, path: string, depth: number): void {
  switch (typeof value) {
    case "boolean":
    case "number":
      return;
    case "string":
      return checkText(value, path);
    case "bigint":
      if (BigInt.asIntN(64, value) !== value) throw unstorable(path, "a bigint beyond 64 bits");
      return;
    case "object":
      return value === null ? undefined : checkStructure(value, path, depth);
    default:
      throw unstorable(path, value === undefined ? "undefined" : `a ${typeof value}`);
  }
}

function checkStructure(value: Date | readonly Value[] | Fields, path: string, depth: number): void {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw unstorable(path, "an invalid Date");
    return;
  }
  if (depth === documentDepth)
    throw misshapen(path, `is nested deeper than ${documentDepth} levels, or contains itself`);
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw unstorable(path, `a ${className(value)}`);
    return checkObject(value as Fields, path, depth + 1);
  }
  for (const [i, item] of (value as readonly Value[]).entries()) {
    if (Array.isArray(item)) throw misshapen(`${path}[${i}]`, "is a list inside a list; put an object between them");
    checkValue(item, `${path}[${i}]`, depth + 1);
  }
}

function checkText(text: string, path: string): void {
  if (!exceeds(text, documentTextBytes)) return;
  throw new PlatformError(
    "too-large",
    `the property ${shortPath(path)} is a string of over ${documentTextBytes} bytes`,
  );
}

function className(value: object): string {
  const constructor: unknown = value.constructor;
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "class instance";
}

function unstorable(path: string, what: string): PlatformError {
  return new PlatformError("document", `the property ${path} is ${what} and cannot be stored`);
}

function misshapen(path: string, what: string): PlatformError {
  return new PlatformError("shape", `the property ${shortPath(path)} ${what}`);
}

/** Truncates the path, which client data can make arbitrarily long. */
function shortPath(path: string): string {
  return path.length > 100 ? `${path.slice(0, 100)}…` : path;
}
