import { encodeTagged } from "../../lib/tagged-json.ts";
import type { SpanOperation } from "../../runtime/observe/span.ts";

/** The maximum number of documents of an operation to copy. */
const copiedDocuments = 50;

/** The approximate maximum number of characters to copy, so that copying takes little time. */
const copiedCharacters = 16_000;

/**
 * Copies the documents that an operation returned, as tagged JSON, because a handler may change them and they may be
 * deleted later. Returns undefined if there are none, or if they are too many or too long.
 */
export function copyDocuments([, result]: SpanOperation): string | undefined {
  const items = itemsOf(result);
  if (items === undefined || items.length > copiedDocuments) return undefined;
  const documents = items.filter(isDocument);
  if (documents.length === 0 || roomAfter(documents, copiedCharacters) < 0) return undefined;
  return encodeTagged(documents);
}

/** Returns the documents of a result, which may be a page, a list with gaps, or a document. */
function itemsOf(result: unknown): readonly unknown[] | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const items: unknown = "items" in result ? result.items : result;
  return Array.isArray(items) ? items : [items];
}

function isDocument(item: unknown): item is { readonly id: string } {
  return typeof item === "object" && item !== null && "id" in item && typeof item.id === "string";
}

/** Subtracts the approximate characters of a value from `room`. Stops as soon as the result is negative. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (typeof value !== "object" || value === null) return room - 8;
  let remaining = room - 2;
  for (const [name, member] of Object.entries(value)) {
    if (remaining < 0) return remaining;
    remaining = roomAfter(member, remaining - name.length - 4);
  }
  return remaining;
}
