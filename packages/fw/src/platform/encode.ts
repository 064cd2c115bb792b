import { PlatformError } from "./errors.ts";
import type { Fields, Value } from "./values.ts";

/** Objects and lists inside each other: more than documents have by far, and none that is inside itself. */
const deepest = 500;

/**
 * The JSON text of a document's fields. What JSON cannot say is an object whose one property begins with `$`: `$date`
 * (milliseconds), `$int` (decimal digits), `$num` (NaN, Infinity, -0), `$obj` (an object that has such a property itself).
 */
export function encodeFields(fields: Fields): string {
  return JSON.stringify(objectToJson(fields, "", 1));
}

/** What `encodeFields` was given; fails with `data` on any other text. */
export function decodeFields(text: string): Fields {
  const json = parse(text);
  return text.includes('{"$') ? (objectFromJson(json) as Fields) : json;
}

function parse(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    throw new PlatformError("data", 'a stored document is damaged; stop the server, and "fw check-data" says which');
  }
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

function toJson(value: unknown, path: string, depth: number): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $num: Object.is(value, -0) ? "-0" : `${value}` };
    case "bigint":
      return { $int: int64(value, path).toString() };
    case "object":
      return value === null ? null : structureToJson(value, path, depth);
    default:
      throw unstorable(path, `a ${typeof value}`);
  }
}

function structureToJson(value: object, path: string, depth: number): Json {
  if (value instanceof Date) return { $date: instant(value, path) };
  if (depth > deepest) throw unstorable(path, `nested deeper than ${deepest} levels, or inside itself,`);
  if (Array.isArray(value)) return Array.from(value, (item, i) => toJson(item, `${path}[${i}]`, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unstorable(path, `a ${className(value)}`);
  return objectToJson(value as Fields, path, depth);
}

function objectToJson(fields: Fields, path: string, depth: number): Json {
  const json: { [name: string]: Json } = {};
  let tagged = false;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === undefined) continue;
    tagged ||= name.startsWith("$");
    define(json, name, toJson(value, path === "" ? name : `${path}.${name}`, depth + 1));
  }
  return tagged ? { $obj: json } : json;
}

function fromJson(json: Json): Value {
  if (typeof json !== "object" || json === null) return json;
  return Array.isArray(json) ? json.map(fromJson) : objectFromJson(json);
}

function objectFromJson(json: Fields): Value {
  const [name = "", ...others] = Object.keys(json);
  if (!name.startsWith("$") || others.length > 0) return membersFromJson(json);
  const value = json[name];
  if (name === "$date") return new Date(value as number);
  if (name === "$int") return BigInt(value as string);
  if (name === "$num") return Number(value);
  return membersFromJson(value as Fields);
}

function membersFromJson(json: Fields): Fields {
  const fields: { [name: string]: Value } = {};
  for (const name of Object.keys(json)) define(fields, name, fromJson(json[name] as Json));
  return fields;
}

/** Sets an own property, whatever its name: `__proto__` is a name like others. */
function define<T>(object: { [name: string]: T }, name: string, value: T): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function instant(date: Date, path: string): number {
  const milliseconds = date.getTime();
  if (Number.isNaN(milliseconds)) throw unstorable(path, "an invalid Date");
  return milliseconds;
}

function int64(value: bigint, path: string): bigint {
  if (BigInt.asIntN(64, value) !== value) throw unstorable(path, "a bigint beyond 64 bits");
  return value;
}

function className(value: object): string {
  const constructor: unknown = value.constructor;
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "class instance";
}

function unstorable(path: string, what: string): PlatformError {
  return new PlatformError("document", `the property ${path} is ${what} and cannot be stored`);
}
