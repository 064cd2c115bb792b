import type { Limits } from "../lib/limited.ts";
import { limitsOf, type Schema } from "../model/schema.ts";

/** Describes limits for a doc comment: `At least 1 and at most 200 characters.` Undefined without limits. */
export function limitNote(schema: Pick<Schema, "kind"> & { readonly limits?: Limits }): string | undefined {
  const { limits } = schema;
  if (limits === undefined) return undefined;
  const noun = schema.kind === "string" ? " characters" : schema.kind === "array" ? " items" : "";
  const { min, max, format, pattern } = limits;
  const bounds = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])];
  const note = [
    ...(format === undefined ? [] : [format === "email" ? "An email address" : "A URL"]),
    ...(bounds.length === 0 ? [] : [`${bounds.join(" and ")}${noun}`]),
    ...(pattern === undefined ? [] : [`of the pattern \`${pattern}\``]),
  ].join(", ");
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}.`;
}

/** Describes the limits of a field of any type. */
export function fieldNotes(schema: Schema): readonly string[] {
  const parts = schema.kind === "union" ? schema.variants : [schema];
  return parts.flatMap(
    (variant) => limitNote({ kind: variant.kind, ...(limitsOf(variant) && { limits: limitsOf(variant) }) }) ?? [],
  );
}
