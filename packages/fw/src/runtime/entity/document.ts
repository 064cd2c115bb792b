import { Fault, StatusError } from "../../declare/errors.ts";
import { indexedElements, indexedStringBytes } from "../../lib/limits.ts";
import type { Document } from "../../platform/contract.ts";
import { isStorableId } from "../../platform/document.ts";
import type { Fields, Value } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import type { Metrics } from "../observe/metrics/metrics.ts";
import { checkWritten, currentFields } from "./document-type.ts";

export function idOf(entity: BundledEntity, document: object): string | undefined {
  const id = (document as Record<string, unknown>)[entity.id];
  if (id === undefined) return undefined;
  if (typeof id !== "string") throw new Fault(`the ${entity.id} of a document of "${entity.name}" is not a string`);
  if (!isStorableId(id)) throw new StatusError(400, messages.entityId);
  return id;
}

/** Checks the type of a document and returns the fields to store: all except the id and transient fields. */
export function storedFields(entity: BundledEntity, id: string, document: object): Fields {
  const fields: Record<string, Value> = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === entity.id || value === undefined || entity.transient.includes(name)) continue;
    define(fields, name, value as Value);
  }
  checkWritten(entity, id, fields);
  return fields;
}

/** Returns a document as the application sees it. If it does not fit its type, counts it and throws. */
export function documentOf(
  entity: BundledEntity,
  source: Pick<Document, "id" | "fields">,
  metrics: Metrics | undefined,
): object {
  const { id } = source;
  const fields = entity.alternatives === undefined ? source.fields : fittingFields(entity, source, metrics);
  const document: Record<string, unknown> = { [entity.id]: id };
  for (const [name, value] of Object.entries(fields)) {
    // A field may have become transient since the document was stored.
    if (name !== entity.id && !entity.transient.includes(name)) define(document, name, value);
  }
  return document;
}

function fittingFields(
  entity: BundledEntity,
  { id, fields }: Pick<Document, "id" | "fields">,
  metrics: Metrics | undefined,
): Fields {
  try {
    return currentFields(entity, id, fields);
  } catch (error) {
    metrics?.misfit({ kind: "entity", name: entity.name });
    throw error;
  }
}

/** Creates the 400 for a value that no index can contain. */
export function indexedValueError(): StatusError {
  return new StatusError(400, messages.indexedValue(indexedStringBytes, indexedElements));
}

/** Sets a member of any name: assigning to `__proto__` would set the prototype. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
