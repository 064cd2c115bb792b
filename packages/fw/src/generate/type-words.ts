import { type Scalar, schemaOf } from "../model/request-shape.ts";
import { patternText, type Schema, type TypeTable } from "../model/schema.ts";

/** The maximum number of a union's alternatives that a message names. */
const maxLiterals = 8;

/** Names a type for messages: `int`, `"open" | "paid"`, `list`, `string | null`. */
export function typeWords(schema: Schema, types: TypeTable): string {
  const words = [...new Set(wordsOf(schema, types, new Set()))];
  const literals = words.slice(0, maxLiterals);
  return words.length > literals.length ? `${literals.join(" | ")} | …` : literals.join(" | ");
}

/** Names the type of a field that is not read from a JSON body. */
export function scalarWords(scalar: Scalar): string {
  return scalar.kind === "blob" ? "file" : typeWords(schemaOf(scalar), {});
}

function wordsOf(schema: Schema, types: TypeTable, visited: Set<string>): readonly string[] {
  switch (schema.kind) {
    case "string":
      return [schema.pattern === undefined ? "string" : patternText(schema.pattern)];
    case "literal":
      return [JSON.stringify(schema.value)];
    case "array":
    case "tuple":
      return ["list"];
    case "record":
      return ["object"];
    case "json":
      return ["JSON value"];
    case "union":
      return schema.variants.flatMap((variant) => (variant.kind === "never" ? [] : wordsOf(variant, types, visited)));
    case "ref": {
      const target = types[schema.id];
      if (target === undefined || visited.has(schema.id)) return [];
      return wordsOf(target, types, visited.add(schema.id));
    }
    default:
      return [schema.kind];
  }
}
