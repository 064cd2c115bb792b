/** A part of a resource, as Google's APIs write it in JSON. */
export type Value = null | boolean | number | string | readonly Value[] | Fields;

export interface Fields {
  readonly [name: string]: Value;
}

/** A field that is not as it is declared. */
export interface Change {
  /** `template.containers[0].image` */
  readonly path: string;
  /** Absent where there is nothing yet. */
  readonly from?: Value;
  readonly to: Value;
}

/**
 * The fields of `spec` that `live` has otherwise. What the spec does not name is the cloud's own and is left alone. The APIs leave out
 * what is false, zero or empty.
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

/** The fields of a resource that changes are in, by their first names: what an update mask takes. */
export function topOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => path.split(/[.[]/)[0] ?? ""))].toSorted();
}

export function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** "" for what is no text. */
export function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

export function fieldsOf(value: Value | undefined): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: Value | undefined): readonly Value[] {
  return value !== undefined && isList(value) ? value : [];
}

/** The items of a list that have fields. */
export function itemsOf(value: Value | undefined): readonly Fields[] {
  return listOf(value).filter(isFields);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** What Google's APIs do not write. */
function isEmpty(value: Value): boolean {
  if (isList(value)) return value.length === 0;
  if (isFields(value)) return Object.values(value).every(isEmpty);
  return value === false || value === 0 || value === "" || value === null;
}
