import type { Scalar } from "../model/request-shape.ts";
import type { Schema, TextPattern, TypeTable } from "../model/schema.ts";
import { schemaOf } from "./scalar-schema.ts";

/** Literals of a union that a message lists. */
const shownLiterals = 8;

/** How a message calls a type: `int`, `"open" | "paid"`, `list`, `string | null`. */
export function typeWords(schema: Schema, types: TypeTable): string {
  const words = [...new Set(wordsOf(schema, types, new Set()))];
  const shown = words.slice(0, shownLiterals);
  return words.length > shown.length ? `${shown.join(" | ")} | …` : shown.join(" | ");
}

/** The same for a path, query or form field. */
export function scalarWords(scalar: Scalar): string {
  return scalar.kind === "blob" ? "file" : typeWords(schemaOf(scalar), {});
}

/** As TypeScript writes it. */
function patternWords({ texts, holes }: TextPattern): string {
  return `\`${texts.map((text, i) => text + (holes[i] === undefined ? "" : `\${${holes[i]}}`)).join("")}\``;
}

function wordsOf(schema: Schema, types: TypeTable, seen: Set<string>): readonly string[] {
  switch (schema.kind) {
    case "string":
      return [schema.pattern === undefined ? "string" : patternWords(schema.pattern)];
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
      return schema.variants.flatMap((variant) => (variant.kind === "never" ? [] : wordsOf(variant, types, seen)));
    case "ref": {
      const target = types[schema.id];
      if (target === undefined || seen.has(schema.id)) return [];
      return wordsOf(target, types, seen.add(schema.id));
    }
    default:
      return [schema.kind];
  }
}
