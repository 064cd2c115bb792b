import { Fault, StatusError } from "../../declare/errors.ts";
import { indexedElements, indexedStringBytes } from "../../lib/limits.ts";
import type { Document } from "../../platform/contract.ts";
import { isStorableId } from "../../platform/document.ts";
import type { Fields, Value } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { checkWritten, currentFields } from "./document-type.ts";

/** Returns the id of a document, or undefined if it has none. */
export function idOf(entity: BundledEntity, document: object): string | undefined {
  const id = (document as Record<string, unknown>)[entity.id];
  if (id === undefined) return undefined;
  if (typeof id !== "string") throw new Fault(`the ${entity.id} of a document of "${entity.name}" is not a string`);
  if (!isStorableId(id)) throw new StatusError(400, messages.entityId);
  return id;
}

/** Returns the stored fields of a document, all but its id and its transient fields, checked against its type. */
export function storedFields(entity: BundledEntity, id: string, document: object): Fields {
  const fields: Record<string, Value> = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === entity.id || value === undefined || entity.transient.includes(name)) continue;
    define(fields, name, value as Value);
  }
  checkWritten(entity, id, fields);
  return fields;
}

/** Returns a document as the application sees it. */
export function documentOf(entity: BundledEntity, { id, fields: oldFields }: Pick<Document, "id" | "fields">): object {
  const fields = entity.alternatives === undefined ? oldFields : currentFields(entity, id, oldFields);
  const document: Record<string, unknown> = { [entity.id]: id };
  for (const [name, value] of Object.entries(fields)) {
    // A field may have become transient after the document was stored.
    if (name !== entity.id && !entity.transient.includes(name)) define(document, name, value);
  }
  return document;
}

/** Creates the refusal of a value that no index can hold. */
export function indexedValueError(): StatusError {
  return new StatusError(400, messages.indexedValue(indexedStringBytes, indexedElements));
}

/** Defines a property: assigning `__proto__` would set the prototype. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
