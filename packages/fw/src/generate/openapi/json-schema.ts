import { emailPattern, type Limits } from "../../lib/limited.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { type BoundField, type Scalar, schemaOf } from "../../model/request-shape.ts";
import { limitsOf, literalsOf, type Field, type Schema, type TextPattern } from "../../model/schema.ts";

/** A JSON Schema in the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Direction {
  readonly nameOf: (id: string) => string;
  /** True if the document states limits: requests must meet them, responses need not. */
  readonly isHeld: boolean;
  /** The path of named types in the document; `#/components/schemas/` by default. */
  readonly typesAt?: string;
  /** True if clients check numbers as doubles. The largest 64-bit integers then round to 2^63. */
  readonly hasDoubles?: boolean;
}

export function jsonSchema(schema: Schema, direction: Direction): JsonSchema {
  const limits = direction.isHeld ? limitsOf(schema) : undefined;
  const free = unlimitedSchema(schema, direction);
  if (limits === undefined) return free;
  const limitKeywords = keywords(schema.kind, limits);
  if (!("pattern" in free && "pattern" in limitKeywords)) return { ...free, ...limitKeywords };
  const { pattern, allOf = [], ...others } = limitKeywords;
  return { ...free, ...others, allOf: [{ pattern }, ...(allOf as readonly JsonSchema[])] };
}

function unlimitedSchema(schema: Schema, direction: Direction): JsonSchema {
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
      return direction.hasDoubles === true ? int64Double : int64;
    case "date":
      return dateTime;
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
      return { type: "array", items: jsonSchema(schema.items, direction) };
    case "tuple":
      return tuple(schema, direction);
    case "record":
      if (schema.values.kind === "never") return { type: "object", maxProperties: 0 };
      return {
        type: "object",
        ...(schema.keys && direction.isHeld && { propertyNames: keywords("string", schema.keys) }),
        additionalProperties: jsonSchema(schema.values, direction),
      };
    case "object":
      return objectSchema(schema.fields, direction);
    case "union":
      return union(schema, direction);
    case "ref":
      return { $ref: `${direction.typesAt ?? "#/components/schemas/"}${direction.nameOf(schema.id)}` };
    default:
      return assertNever(schema);
  }
}

const words = {
  string: ["minLength", "maxLength"],
  array: ["minItems", "maxItems"],
  number: ["minimum", "maximum"],
} as const;

/**
 * JSON Schema's formats, each with the decoder's pattern, because validators accept different strings for a format. The
 * decoder also limits the length of an email address and parses a URL.
 */
const formats = {
  email: { format: "email", pattern: emailPattern.source },
  url: { format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://\\S+$" },
} as const;

function keywords(kind: Schema["kind"], { min, max, format, pattern }: Limits): JsonSchema {
  const [least, most] = kind === "string" || kind === "array" ? words[kind] : words.number;
  return {
    ...(min !== undefined && { [least]: min }),
    ...(max !== undefined && { [most]: max }),
    ...(format !== undefined && formats[format]),
    ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }),
    ...(format !== undefined && pattern !== undefined && { allOf: [{ pattern: formats[format].pattern }] }),
  };
}

export function objectSchema(fields: readonly Field[], direction: Direction): JsonSchema {
  const properties = fields.map(
    ({ name, schema, doc }) => [name, withDescription(jsonSchema(schema, direction), doc)] as const,
  );
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  // Tools resolve every member "$ref" as a reference, even if it is the name of a property.
  const isReference = ([name]: (typeof properties)[number]): boolean => name === "$ref";
  const references = properties.filter(isReference).map(([, schema]) => ["^\\$ref$", schema]);
  return {
    type: "object",
    properties: Object.fromEntries(properties.filter((property) => !isReference(property))) as JsonSchema,
    ...(references.length === 0 ? {} : { patternProperties: Object.fromEntries(references) as JsonSchema }),
    ...(required.length === 0 ? {} : { required }),
  };
}

export function withDescription(schema: JsonSchema, doc: string | undefined): JsonSchema {
  return doc === undefined ? schema : { ...schema, description: doc };
}

/** Returns the schema of a path, query, header, cookie or form value. */
export function boundSchema({ type, list, items }: BoundField): JsonSchema {
  if (!list) return scalarSchema(type);
  return { type: "array", items: scalarSchema(type), ...(items && keywords("array", items)) };
}

function scalarSchema(scalar: Scalar): JsonSchema {
  return jsonSchema(schemaOf(scalar), { nameOf: (id) => id, isHeld: true });
}

/** The upper bound is exclusive, because a double cannot represent the largest 64-bit integer exactly. */
const int64: JsonSchema = { type: "integer", format: "int64", minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 };

/** The bounds for values that were rounded to doubles. */
const int64Double: JsonSchema = { type: "integer", format: "int64", minimum: -(2 ** 63), maximum: 2 ** 63 };

/** `date-time` also allows leap seconds, which the decoder refuses. */
const dateTime: JsonSchema = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[-+]\\d\\d:\\d\\d)$",
};

const integer: JsonSchema = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function tuple({ items, rest }: Extract<Schema, { kind: "tuple" }>, direction: Direction): JsonSchema {
  return {
    type: "array",
    ...(items.length === 0 ? {} : { prefixItems: items.map(({ schema }) => jsonSchema(schema, direction)) }),
    minItems: items.filter(({ optional }) => !optional).length,
    ...(rest === undefined ? { maxItems: items.length } : { items: jsonSchema(rest, direction) }),
  };
}

/** Returns the schema of a union; an enum if all variants are literals of one type. */
function union(schema: Extract<Schema, { kind: "union" }>, direction: Direction): JsonSchema {
  const literals = literalsOf(schema);
  const types = new Set(literals?.map((value) => typeof value));
  if (literals !== undefined && types.size === 1) return { type: [...types][0], enum: literals };
  const variants = schema.variants.filter(({ kind }) => kind !== "void" && kind !== "never");
  return { anyOf: variants.map((variant) => jsonSchema(variant, direction)) };
}

/** Creates a regular expression for a template literal type, in syntax that all dialects support. */
function patternText({ texts, holes }: TextPattern): string {
  const parts = texts.map((text, i) => {
    const hole = holes[i];
    return escapeRegExp(text) + (hole === undefined ? "" : holeText[hole]);
  });
  return `^${parts.join("")}$`;
}

const holeText: Readonly<Record<TextPattern["holes"][number], string>> = {
  string: "[\\s\\S]*",
  number: "\\s*[-+]?(?:\\d+\\.?\\d*|\\.\\d+|0[xX][\\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)(?:[eE][-+]?\\d+)?\\s*",
  bigint: "-?(?:0|[1-9]\\d*|0[xX][\\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)",
};

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
