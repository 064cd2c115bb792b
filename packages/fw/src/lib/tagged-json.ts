/*
 * JSON extended with values that JSON lacks. Each becomes an object with one property that starts with `$`: `$date`
 * (milliseconds, null for an invalid date), `$int` (decimal digits), `$num` (NaN, Infinity, -0), `$none` (undefined in
 * a list), `$obj` (an object that itself has such a property).
 */

/** The maximum nesting depth, far more than documents have. It also catches values that contain themselves. */
const deepest = 500;

/** The maximum number of digits of an integer. A query may compare with numbers that no store can hold. */
const mostDigits = 1000;

/** Encodes plain data. Undefined properties are omitted. */
export function encodeTagged(value: unknown): string {
  return JSON.stringify(toJson(value, 0));
}

/** Decodes the output of `encodeTagged`. Throws on invalid JSON, unknown tags and deeply nested tagged text. */
export function decodeTagged(text: string): unknown {
  const json: unknown = JSON.parse(text);
  return text.includes('{"$') ? fromJson(json, 0, { remaining: Infinity }) : json;
}

/** Like `decodeTagged`, for untrusted text: limits the depth of plain JSON, too, and the number of values. */
export function decodeUntrusted(text: string, values: number): unknown {
  return untagUntrusted(JSON.parse(text), values);
}

/** Like `decodeUntrusted`, but for parsed JSON, which it converts in place. */
export function untagUntrusted(json: unknown, values: number): unknown {
  return fromJson(json, 0, { remaining: values });
}

type Members = Record<string, unknown>;

/**
 * Converts a value to tagged JSON. Returns scalars and objects themselves if JSON can represent them, and a copy of a
 * list.
 */
function toJson(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "undefined":
      return { $none: true };
    case "bigint":
      return { $int: value.toString() };
    case "number":
      if (Object.is(value, -0)) return { $num: "-0" };
      return Number.isFinite(value) ? value : { $num: `${value}` };
    case "object":
      return value === null ? null : structureToJson(value, depth);
    default:
      return value;
  }
}

function structureToJson(value: object, depth: number): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (depth > deepest) throw new RangeError(`nested deeper than ${deepest} levels, or contains itself`);
  if (Array.isArray(value)) return Array.from(value, (item) => toJson(item, depth + 1));
  let json = value as Members;
  let tagged = false;
  for (const name of Object.keys(value)) {
    const member = (value as Members)[name];
    if (member === undefined) continue;
    tagged ||= name.startsWith("$");
    const said = toJson(member, depth + 1);
    if (said === member) continue;
    if (json === value) json = { ...value };
    // Creates an own property regardless of its name, even `__proto__`.
    json[name] = said;
  }
  return tagged ? { $obj: json } : json;
}

/** Replaces the tagged objects in parsed JSON with their values, in place. */
function fromJson(json: unknown, depth: number, budget: { remaining: number }): unknown {
  if (--budget.remaining < 0) throw new RangeError("too many values");
  if (typeof json !== "object" || json === null) return json;
  if (depth > deepest) throw new RangeError(`nested deeper than ${deepest} levels`);
  if (Array.isArray(json)) {
    for (let i = 0; i < json.length; i++) json[i] = fromJson(json[i], depth + 1, budget);
    return json;
  }
  const names = Object.keys(json);
  const [tag = ""] = names;
  if (names.length === 1 && tag.startsWith("$")) return untagged(tag, (json as Members)[tag], depth, budget);
  return membersFromJson(json as Members, names, depth, budget);
}

function membersFromJson(
  members: Members,
  names: readonly string[],
  depth: number,
  budget: { remaining: number },
): Members {
  for (const name of names) {
    const json = members[name];
    const value = fromJson(json, depth + 1, budget);
    if (value !== json) members[name] = value;
  }
  return members;
}

function untagged(tag: string, value: unknown, depth: number, budget: { remaining: number }): unknown {
  if (tag === "$date") return new Date(typeof value === "number" ? value : Number.NaN);
  if (tag === "$num") return Number(value);
  if (tag === "$none") return undefined;
  if (tag === "$int" && typeof value === "string" && value.length <= mostDigits) return BigInt(value);
  if (tag === "$obj" && typeof value === "object" && value !== null)
    return membersFromJson(value as Members, Object.keys(value), depth, budget);
  throw new SyntaxError(`unknown tag ${tag}`);
}
