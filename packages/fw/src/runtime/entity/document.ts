import { Fault, StatusError } from "../../declare/errors.ts";
import { indexedElements, indexedStringBytes } from "../../lib/limits.ts";
import type { Document } from "../../platform/contract.ts";
import { isStorableId } from "../../platform/document.ts";
import type { Fields, Value } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";

/** The id that a document carries; undefined where it carries none. */
export function idOf(entity: BundledEntity, document: object): string | undefined {
  const id = (document as Record<string, unknown>)[entity.id];
  if (id === undefined) return undefined;
  if (typeof id !== "string") throw new Fault(`the ${entity.id} of a document of "${entity.name}" is not a string`);
  if (!isStorableId(id)) throw new StatusError(400, messages.entityId);
  return id;
}

/** What is kept of a document: everything but its id and its transient fields. */
export function fieldsOf(entity: BundledEntity, document: object): Fields {
  const fields: Record<string, Value> = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === entity.id || value === undefined || entity.transient.includes(name)) continue;
    define(fields, name, value as Value);
  }
  return fields;
}

/** A document as the application sees it. */
export function documentOf(entity: BundledEntity, { id, fields }: Pick<Document, "id" | "fields">): object {
  const document: Record<string, unknown> = { [entity.id]: id };
  for (const [name, value] of Object.entries(fields)) {
    // A field that became transient since it was written is gone from then on.
    if (name !== entity.id && !entity.transient.includes(name)) define(document, name, value);
  }
  return document;
}

/** The refusal of a value that no index can hold. */
export function indexedValue(): StatusError {
  return new StatusError(400, messages.indexedValue(indexedStringBytes, indexedElements));
}

/** `__proto__` is a name like any other here. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
