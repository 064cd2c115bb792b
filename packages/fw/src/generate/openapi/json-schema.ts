import type { Limits } from "../../lib/limited.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { BoundField, Scalar } from "../../model/request-shape.ts";
import { limitsOf, literalsOf, type Field, type Schema, type TextPattern } from "../../model/schema.ts";
import { schemaOf } from "../scalar-schema.ts";

/** A JSON Schema of the dialect that OpenAPI 3.1 has. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The name of a named type. */
type NameOf = (id: string) => string;

/** A schema as JSON Schema: what JSON carries of its values. */
export function jsonSchema(schema: Schema, nameOf: NameOf): JsonSchema {
  const limits = limitsOf(schema);
  const free = freeSchema(schema, nameOf);
  if (limits === undefined) return free;
  const said = keywords(schema.kind, limits);
  if (!("pattern" in free && "pattern" in said)) return { ...free, ...said };
  const { pattern, ...others } = said;
  return { ...free, ...others, allOf: [{ pattern }] };
}

function freeSchema(schema: Schema, nameOf: NameOf): JsonSchema {
  switch (schema.kind) {
    case "string":
      return schema.pattern === undefined
        ? { type: "string" }
        : { type: "string", pattern: patternText(schema.pattern) };
    case "number":
    case "boolean":
    case "null":
      return { type: schema.kind };
    case "int":
      return integer;
    case "int64":
      return { type: "integer", format: "int64" };
    case "date":
      return { type: "string", format: "date-time" };
    case "json":
      return {};
    case "blob":
      return { type: "string", contentMediaType: "application/octet-stream" };
    case "void":
    case "never":
      return { not: {} };
    case "literal":
      return { type: typeof schema.value, const: schema.value };
    case "array":
      return { type: "array", items: jsonSchema(schema.items, nameOf) };
    case "tuple":
      return tuple(schema, nameOf);
    case "record":
      if (schema.values.kind === "never") return { type: "object", maxProperties: 0 };
      return {
        type: "object",
        ...(schema.keys && { propertyNames: keywords("string", schema.keys) }),
        additionalProperties: jsonSchema(schema.values, nameOf),
      };
    case "object":
      return objectSchema(schema.fields, nameOf);
    case "union":
      return union(schema, nameOf);
    case "ref":
      return { $ref: `#/components/schemas/${nameOf(schema.id)}` };
    default:
      return assertNever(schema);
  }
}

const words = {
  string: ["minLength", "maxLength"],
  array: ["minItems", "maxItems"],
  number: ["minimum", "maximum"],
} as const;

/** What JSON Schema calls limits. */
function keywords(kind: Schema["kind"], { min, max, format, pattern }: Limits): JsonSchema {
  const [least, most] = kind === "string" || kind === "array" ? words[kind] : words.number;
  return {
    ...(min !== undefined && { [least]: min }),
    ...(max !== undefined && { [most]: max }),
    ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }),
    ...(format !== undefined && { format: format === "url" ? "uri" : format }),
  };
}

export function objectSchema(fields: readonly Field[], nameOf: NameOf): JsonSchema {
  const properties = fields.map(({ name, schema, doc }) => [name, described(jsonSchema(schema, nameOf), doc)]);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties) as JsonSchema,
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A schema with what is said of it. */
export function described(schema: JsonSchema, doc: string | undefined): JsonSchema {
  return doc === undefined ? schema : { ...schema, description: doc };
}

/** A value of a path, a query, a header, a cookie or a form. */
export function boundSchema({ type, list, items }: BoundField): JsonSchema {
  if (!list) return scalarSchema(type);
  return { type: "array", items: scalarSchema(type), ...(items && keywords("array", items)) };
}

function scalarSchema(scalar: Scalar): JsonSchema {
  return jsonSchema(schemaOf(scalar), (id) => id);
}

const integer: JsonSchema = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function tuple({ items, rest }: Extract<Schema, { kind: "tuple" }>, nameOf: NameOf): JsonSchema {
  return {
    type: "array",
    ...(items.length === 0 ? {} : { prefixItems: items.map(({ schema }) => jsonSchema(schema, nameOf)) }),
    minItems: items.filter(({ optional }) => !optional).length,
    ...(rest === undefined ? { maxItems: items.length } : { items: jsonSchema(rest, nameOf) }),
  };
}

/** Literals of one type are a list of values. */
function union(schema: Extract<Schema, { kind: "union" }>, nameOf: NameOf): JsonSchema {
  const literals = literalsOf(schema);
  const types = new Set(literals?.map((value) => typeof value));
  if (literals !== undefined && types.size === 1) return { type: [...types][0], enum: literals };
  const variants = schema.variants.filter(({ kind }) => kind !== "void" && kind !== "never");
  return { anyOf: variants.map((variant) => jsonSchema(variant, nameOf)) };
}

/** A regular expression of what a template literal type takes, in the words that all dialects have. */
function patternText({ texts, holes }: TextPattern): string {
  const parts = texts.map((text, i) => {
    const hole = holes[i];
    return escaped(text) + (hole === undefined ? "" : holeText[hole]);
  });
  return `^${parts.join("")}$`;
}

const holeText: Readonly<Record<TextPattern["holes"][number], string>> = {
  string: "[\\s\\S]*",
  number: "\\s*[-+]?(?:\\d+\\.?\\d*|\\.\\d+|0[xX][\\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)(?:[eE][-+]?\\d+)?\\s*",
  bigint: "-?(?:0|[1-9]\\d*|0[xX][\\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)",
};

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
