import { searchedFields } from "../../../lib/derived-indexes.ts";
import type { Fields, Value } from "../../values.ts";
import type { DatastoreValue, Properties } from "./datastore-values.ts";
import { documentOf, type EntityResult } from "./stored-document.ts";

/** Whether a stored document has a value at the property's path but no index entry for it. */
export function isUnindexed(result: EntityResult, property: string): boolean {
  const textFields = searchedFields(property);
  if (textFields !== undefined && isIndexedAt(result.entity?.properties ?? {}, [property])) return false;
  if (textFields !== undefined) return textFields.some((name) => hasValue(documentOf(result).fields, [name]));
  const path = property.split(".");
  return hasValue(documentOf(result).fields, path) && !isIndexedAt(result.entity?.properties ?? {}, path);
}

/** Whether a document has an indexable value at a path: Datastore never indexes an empty list. */
function hasValue(fields: Fields, path: readonly string[]): boolean {
  const value = path.reduce<Value | undefined>((at, name) => (isFields(at) ? at[name] : undefined), fields);
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether the value at a property path is indexed, which Datastore decides when the document is written. */
export function isIndexedAt(properties: Properties, path: readonly string[]): boolean {
  return isIndexed({ entityValue: { properties } }, path);
}

function isIndexed(value: DatastoreValue | undefined, [name, ...rest]: readonly string[]): boolean {
  if (value === undefined || value.excludeFromIndexes === true) return false;
  if (name !== undefined) return isIndexed(value.entityValue?.properties?.[name], rest);
  return value.arrayValue?.values?.every(({ excludeFromIndexes }) => excludeFromIndexes !== true) ?? true;
}
