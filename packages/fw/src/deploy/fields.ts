/** A JSON value in Google's APIs. */
export type Value = null | boolean | number | string | readonly Value[] | Fields;

export interface Fields {
  readonly [name: string]: Value;
}

/** A field that differs from its declared value. */
export interface Change {
  /** The location of the field, such as `template.containers[0].image`. */
  readonly path: string;
  /** Absent if the field is not set yet. */
  readonly from?: Value;
  readonly to: Value;
}

/**
 * Returns the fields in which `live` differs from `spec`. Ignores fields outside `spec`. A missing field of `live`
 * equals a false, zero or empty value, because the APIs omit such values.
 */
export function changesOf(spec: Value, live: Value | undefined, path = ""): readonly Change[] {
  if (live === undefined) return isEmpty(spec) ? [] : [{ path, to: spec }];
  if (isFields(spec) && isFields(live)) {
    return Object.entries(spec).flatMap(([name, value]) =>
      changesOf(value, live[name], path === "" ? name : `${path}.${name}`),
    );
  }
  if (isList(spec) && isList(live) && spec.length === live.length)
    return spec.flatMap((value, at) => changesOf(value, live[at], `${path}[${at}]`));
  return spec === live ? [] : [{ path, from: live, to: spec }];
}

/** Returns the top-level fields of changes, for use as an update mask. */
export function topOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => path.split(/[.[]/)[0] ?? ""))].toSorted();
}

export function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a string, otherwise "". */
export function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

export function fieldsOf(value: Value | undefined): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: Value | undefined): readonly Value[] {
  return value !== undefined && isList(value) ? value : [];
}

export function itemsOf(value: Value | undefined): readonly Fields[] {
  return listOf(value).filter(isFields);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** True if Google's APIs omit the value. */
function isEmpty(value: Value): boolean {
  if (isList(value)) return value.length === 0;
  if (isFields(value)) return Object.values(value).every(isEmpty);
  return value === false || value === 0 || value === "" || value === null;
}
