/**
 * Arguments and results as JSON text. What JSON cannot say is an object whose one property begins with `$`: `$date`
 * (milliseconds, null for none), `$int` (decimal digits), `$num` (NaN, Infinity, -0), `$none` (undefined in a list), `$obj`
 * (an object that has such a property itself).
 */
export function pack(value: unknown): string {
  return JSON.stringify(toJson(value));
}

/** What `pack` was given; undefined properties are left out. Throws on what is no JSON. */
export function unpack(text: string): unknown {
  return fromJson(JSON.parse(text));
}

function toJson(value: unknown): unknown {
  switch (typeof value) {
    case "undefined":
      return { $none: true };
    case "bigint":
      return { $int: value.toString() };
    case "number":
      if (Object.is(value, -0)) return { $num: "-0" };
      return Number.isFinite(value) ? value : { $num: `${value}` };
    case "object":
      return value === null ? null : structureToJson(value);
    default:
      return value;
  }
}

function structureToJson(value: object): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (Array.isArray(value)) return value.map(toJson);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const json = Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
  return members.some(([name]) => name.startsWith("$")) ? { $obj: json } : json;
}

function fromJson(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const [name = "", ...others] = Object.keys(json);
  if (!name.startsWith("$") || others.length > 0) return membersFromJson(json);
  const value = (json as Record<string, unknown>)[name];
  if (name === "$date") return new Date(typeof value === "number" ? value : Number.NaN);
  if (name === "$int") return BigInt(String(value));
  if (name === "$num") return Number(value);
  if (name === "$none") return undefined;
  return membersFromJson(value);
}

function membersFromJson(json: unknown): unknown {
  return Object.fromEntries(Object.entries(Object(json) as object).map(([name, member]) => [name, fromJson(member)]));
}
