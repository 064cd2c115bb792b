import type { Fields, Value } from "../../values.ts";
import type { DatastoreValue } from "./datastore-values.ts";
import { documentOf, type EntityResult } from "./stored-document.ts";

/**
 * Whether a stored document is in the index of a property: `absent` if it has no such field. Datastore decides this
 * when a document is written and never reindexes it.
 */
export function indexCoverage(result: EntityResult, property: string): "absent" | "indexed" | "unindexed" {
  const path = property.split(".");
  if (!hasValue(documentOf(result).fields, path)) return "absent";
  return isIndexed({ entityValue: { properties: result.entity?.properties ?? {} } }, path) ? "indexed" : "unindexed";
}

/** An empty list is never indexed. */
function hasValue(fields: Fields, path: readonly string[]): boolean {
  const value = path.reduce<Value | undefined>((at, name) => (isFields(at) ? at[name] : undefined), fields);
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isIndexed(value: DatastoreValue | undefined, [name, ...rest]: readonly string[]): boolean {
  if (value === undefined || value.excludeFromIndexes === true) return false;
  if (name !== undefined) return isIndexed(value.entityValue?.properties?.[name], rest);
  return value.arrayValue?.values?.every(({ excludeFromIndexes }) => excludeFromIndexes !== true) ?? true;
}
