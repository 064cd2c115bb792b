import { limitsOf, type Schema } from "../../model/schema.ts";

/**
 * Simplifies the variants of a union: removes duplicates, literals and patterns that their primitive covers, and the
 * literals and primitives that Json covers. Replaces `true` and `false` with a boolean.
 */
export function simplifyVariants(variants: readonly Schema[]): readonly Schema[] {
  const unique = [...new Map(variants.map((variant) => [variantKey(variant), variant])).values()];
  const keys = new Set(unique.map(variantKey));
  const both = keys.has("literal true") && keys.has("literal false");
  const json = keys.has("json");
  const rest = unique.filter((variant) => !isCovered(variant, keys, both));
  return both && !json && !keys.has("boolean") ? [...rest, { kind: "boolean" }] : rest;
}

function isCovered(schema: Schema, keys: ReadonlySet<string | Schema>, both: boolean): boolean {
  const json = keys.has("json");
  if (schema.kind === "literal") {
    return json || keys.has(typeof schema.value) || (both && typeof schema.value === "boolean");
  }
  if (schema.kind === "string") return json || (schema.pattern !== undefined && keys.has("string"));
  return json && (schema.kind === "number" || schema.kind === "boolean" || schema.kind === "null");
}

/** Returns a key that equal variants share. Variants with limits or parts, such as lists, are their own keys. */
function variantKey(schema: Schema): string | Schema {
  if (limitsOf(schema) !== undefined) return schema;
  switch (schema.kind) {
    case "literal":
      return `literal ${JSON.stringify(schema.value)}`;
    case "ref":
      return `ref ${schema.id}`;
    case "string":
      return schema.pattern ? `pattern ${JSON.stringify(schema.pattern)}` : "string";
    case "array":
    case "tuple":
    case "record":
    case "object":
    case "union":
      return schema;
    default:
      return schema.kind;
  }
}
