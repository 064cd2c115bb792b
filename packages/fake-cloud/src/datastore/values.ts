/** A value in the format of Datastore's API. */
export interface Value {
  readonly nullValue?: unknown;
  readonly booleanValue?: boolean;
  readonly integerValue?: string | number;
  readonly doubleValue?: number | string;
  readonly timestampValue?: string;
  readonly stringValue?: string;
  readonly blobValue?: string;
  readonly keyValue?: Key;
  readonly geoPointValue?: unknown;
  readonly entityValue?: { readonly properties?: Readonly<Record<string, Value>> };
  readonly arrayValue?: { readonly values?: readonly Value[] };
  readonly excludeFromIndexes?: boolean;
}

export interface Key {
  readonly partitionId?: { readonly projectId?: string; readonly databaseId?: string; readonly namespaceId?: string };
  readonly path?: readonly { readonly kind?: string; readonly name?: string; readonly id?: string | number }[];
}

export interface Entity {
  readonly key?: Key;
  readonly properties?: Readonly<Record<string, Value>>;
}

/** Converts a key to a unique string. */
export function textOf({ partitionId, path = [] }: Key): string {
  const parts = path.map(({ kind, name, id }) => [kind, name ?? "", id === undefined ? "" : String(id)]);
  return JSON.stringify([partitionId?.namespaceId ?? "", ...parts]);
}

/** Returns the indexed values of a property: each element of an array. */
export function indexed({ properties = {}, key }: Entity, name: string): readonly Value[] {
  if (name === "__key__") return key ? [{ keyValue: key }] : [];
  // A dot refers to a nested entity's property, unless a property's own name contains it.
  const [first = "", ...rest] = Object.hasOwn(properties, name) ? [name] : name.split(".");
  const value = Object.hasOwn(properties, first) ? properties[first] : undefined;
  if (!value || value.excludeFromIndexes) return [];
  if (rest.length > 0) return value.entityValue ? indexed(value.entityValue, rest.join(".")) : [];
  const elements = value.arrayValue ? (value.arrayValue.values ?? []) : [value];
  return elements.filter(({ excludeFromIndexes }) => !excludeFromIndexes);
}

/** Compares two values, across types in Datastore's order. */
export function compareValues(a: Value, b: Value): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  if (a.booleanValue !== undefined) return Number(a.booleanValue) - Number(b.booleanValue);
  if (rankA === 1) return bySign(fixedPoint(a) - fixedPoint(b));
  if (rankA === 3) return Buffer.compare(bytesOf(a), bytesOf(b));
  if (rankA === 4) return compareDoubles(Number(a.doubleValue), Number(b.doubleValue));
  if (rankA === 6) return compareKeys(a.keyValue ?? {}, b.keyValue ?? {});
  return 0;
}

export function compareKeys({ path: a = [] }: Key, { path: b = [] }: Key): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [one, other] = [a[at] ?? {}, b[at] ?? {}];
    const kinds = Buffer.compare(Buffer.from(one.kind ?? ""), Buffer.from(other.kind ?? ""));
    if (kinds !== 0) return kinds;
    // Numeric ids sort before names.
    if ((one.name === undefined) !== (other.name === undefined)) return one.name === undefined ? -1 : 1;
    const order =
      one.name === undefined
        ? bySign(BigInt(one.id ?? 0) - BigInt(other.id ?? 0))
        : Buffer.compare(Buffer.from(one.name), Buffer.from(other.name ?? ""));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function rankOf(value: Value): number {
  if (value.integerValue !== undefined || value.timestampValue !== undefined) return 1;
  if (value.booleanValue !== undefined) return 2;
  if (value.stringValue !== undefined || value.blobValue !== undefined) return 3;
  if (value.doubleValue !== undefined) return 4;
  if (value.geoPointValue !== undefined) return 5;
  if (value.keyValue !== undefined) return 6;
  return value.entityValue === undefined ? 0 : 7;
}

/** Returns an integer, or a time in microseconds. */
function fixedPoint({ integerValue, timestampValue }: Value): bigint {
  if (timestampValue === undefined) return BigInt(integerValue ?? 0);
  const [, seconds = "", fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(timestampValue) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}

function bytesOf({ stringValue, blobValue }: Value): Buffer {
  return stringValue === undefined ? Buffer.from(blobValue ?? "", "base64") : Buffer.from(stringValue);
}

function compareDoubles(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : Number(a > b);
}

function bySign(difference: bigint): number {
  return difference < 0n ? -1 : Number(difference > 0n);
}
