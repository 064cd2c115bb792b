import type { Limits } from "../lib/limited.ts";
import { limitsOf, type Field, type Schema, patternText, type TypeTable } from "../model/schema.ts";

const mostCharacters = 160;

/** Formats a type in TypeScript on one line, truncated if it is long. */
function typeText(schema: Schema, types: TypeTable): string {
  const text = printType(schema, types, 2);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;
}

/** Formats a type, or a field with its type: `total?: Int`. */
export function partText(part: Field | Schema, types: TypeTable): string {
  if (!("name" in part)) return typeText(part, types);
  return `${part.name}${part.optional ? "?" : ""}: ${typeText(part.schema, types)}`;
}

const words: Readonly<Partial<Record<Schema["kind"], string>>> = {
  int: "Int",
  int64: "Int64",
  date: "Date",
  json: "Json",
  blob: "Blob",
};

function printType(schema: Schema, types: TypeTable, depth: number): string {
  const inner = (each: Schema): string => printType(each, types, depth - 1);
  switch (schema.kind) {
    case "literal":
      return JSON.stringify(schema.value);
    case "string":
      return (schema.pattern === undefined ? "string" : patternText(schema.pattern)) + limitsText(schema);
    case "array":
      return `${schema.items.kind === "union" ? `(${inner(schema.items)})` : inner(schema.items)}[]${limitsText(schema)}`;
    case "tuple": {
      const items = schema.items.map((item) => `${inner(item.schema)}${item.optional ? "?" : ""}`);
      return `[${[...items, ...(schema.rest ? [`...${inner(schema.rest)}[]`] : [])].join(", ")}]`;
    }
    case "record":
      return `Record<string, ${inner(schema.values)}>`;
    case "object": {
      if (depth <= 0) return "{ … }";
      const fields = schema.fields.map((each) => `${each.name}${each.optional ? "?" : ""}: ${inner(each.schema)}`);
      return fields.length === 0 ? "{}" : `{ ${fields.join("; ")} }`;
    }
    case "union":
      return [...new Set(schema.variants.map(inner))].join(" | ");
    case "ref": {
      const target = types[schema.id];
      return target === undefined || depth <= 0 ? schema.id.replace(/^.*#/, "") : inner(target);
    }
    default:
      return (words[schema.kind] ?? schema.kind) + limitsText(schema);
  }
}

function limitsText(schema: Schema): string {
  const limits: Limits = limitsOf(schema) ?? {};
  const parts = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
