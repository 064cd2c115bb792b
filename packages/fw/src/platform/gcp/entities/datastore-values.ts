import type { Fields, Scalar, Value } from "../../values.ts";
import type { Value as DescribedValue } from "../rest/generated/datastore.ts";

/**
 * A value in the Datastore API: integers are decimal strings, `NaN` and the infinities are strings, blobs are base64.
 */
export type DatastoreValue = DescribedValue;

export type Properties = Readonly<Record<string, DatastoreValue>>;

export interface IndexedPaths {
  readonly leaf: boolean;
  readonly below: ReadonlyMap<string, IndexedPaths>;
}

const unindexed: IndexedPaths = { leaf: false, below: new Map() };

/** Encodes a document's properties and indexes only the listed paths. */
export function encodeFields(fields: Fields, paths: IndexedPaths): Properties {
  const present = Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, encodeValue(value, paths.below.get(name) ?? unindexed)]),
  );
}

/** Encodes a value that an index can hold. */
export function encodeScalar(value: Scalar): DatastoreValue {
  if (value === null) return { nullValue: null };
  if (value instanceof Date) return { timestampValue: value.toISOString() };
  switch (typeof value) {
    case "boolean":
      return { booleanValue: value };
    case "bigint":
      return { integerValue: value.toString() };
    case "number":
      return { doubleValue: Number.isFinite(value) ? value : String(value) };
    default:
      return { stringValue: value };
  }
}

export function decodeFields(properties: Properties = {}): Fields {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, decodeValue(value)]));
}

/** Whether Datastore returns the value, with all nested names and values, exactly as written. */
export function isExact(value: Value | undefined): boolean {
  if (typeof value === "number") return !Object.is(value, -0);
  if (typeof value === "string") return !/\p{Surrogate}/u.test(value);
  if (value instanceof Date) return value.getTime() >= earliest && value.getTime() <= latest;
  if (Array.isArray(value)) return value.every((item: Value) => isExact(item));
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value as Fields).every(([name, item]) => isExact(name) && isExact(item));
}

const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

function encodeValue(value: Value, paths: IndexedPaths): DatastoreValue {
  if (Array.isArray(value)) {
    const element: IndexedPaths = { leaf: paths.leaf, below: new Map() };
    return { arrayValue: { values: value.map((item: Value) => encodeValue(item, element)) } };
  }
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    const entity = { entityValue: { properties: encodeFields(value as Fields, paths) } };
    return paths.below.size > 0 ? entity : { ...entity, excludeFromIndexes: true };
  }
  const scalar = encodeScalar(value);
  return paths.leaf ? scalar : { ...scalar, excludeFromIndexes: true };
}

function decodeValue(value: DatastoreValue): Value {
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.doubleValue !== undefined) return Number(value.doubleValue);
  if (value.booleanValue !== undefined) return value.booleanValue;
  if (value.integerValue !== undefined) return BigInt(value.integerValue);
  if (value.timestampValue !== undefined) return new Date(value.timestampValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(decodeValue);
  if (value.entityValue !== undefined) return decodeFields(value.entityValue.properties);
  return null;
}
