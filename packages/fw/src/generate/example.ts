import { assertNever } from "../lib/assert-never.ts";
import type { Limits } from "../lib/limited.ts";
import { knownPattern } from "../lib/pattern/pattern.ts";
import { sampleOf } from "../lib/pattern/sample.ts";
import type { RequestShape } from "../model/request-shape.ts";
import { alternatives, type Field, type Schema, type TextPattern, type TypeTable } from "../model/schema.ts";

/**
 * Creates an example body of a request; undefined if it has no JSON body, or no finite example without a member `$ref`.
 * Equal types give equal examples.
 */
export function exampleOf(
  { body, whole, carries }: RequestShape,
  types: TypeTable,
): { readonly value: unknown } | undefined {
  if (carries !== "json") return undefined;
  const context: ExampleContext = { types, inside: new Set() };
  const value = whole?.schema === undefined ? objectOf(body, context) : exampleValue(whole.schema, context);
  return value === noExample || hasReference(value) ? undefined : { value };
}

/**
 * Creates a sample of a type for people to read, in JSON form: if the type allows it, strings name their field, and
 * lists have two items. Returns undefined if the type has no finite value.
 */
export function sampleOfType(schema: Schema, types: TypeTable): { readonly value: unknown } | undefined {
  const value = exampleValue(schema, { types, inside: new Set(), field: "text" });
  return value === noExample ? undefined : { value };
}

interface ExampleContext {
  readonly types: TypeTable;
  /** The named types that contain the position. */
  readonly inside: ReadonlySet<string>;
  /** The value for strings here, such as the name of the field; only in samples. */
  readonly field?: string;
}

/** The result for a recursive type that has no example at this position. */
const noExample: unique symbol = Symbol("endless");

/** True if a value contains a member `$ref`, which tools would resolve as a reference. */
function hasReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "$ref") || Object.values(value).some(hasReference);
}

/**
 * Creates an example in JSON form. A recursive type ends at its second occurrence, with an empty list, an omitted field
 * or another variant of a union.
 */
function exampleValue(schema: Schema, context: ExampleContext): unknown {
  switch (schema.kind) {
    case "string":
      return limitedText(
        schema.pattern === undefined ? (context.field ?? "text") : patternText(schema.pattern),
        schema.limits,
      );
    case "number":
      return limitedNumber(context.field === undefined ? 1.5 : 1, schema.limits);
    case "int":
      return limitedInteger(schema.limits);
    case "int64":
      return 1;
    case "boolean":
      return true;
    case "date":
      return "2026-01-31T12:00:00Z";
    case "null":
    case "void":
    case "never":
    case "blob":
      return null;
    case "json":
      return {};
    case "literal":
      return schema.value;
    case "array":
      return arrayOf(schema, context);
    case "tuple": {
      const items = schema.items.filter(({ optional }) => !optional);
      const values = items.map((item) => exampleValue(item.schema, context));
      return values.includes(noExample) ? noExample : values;
    }
    case "record": {
      const value = schema.values.kind === "never" ? noExample : exampleValue(schema.values, context);
      return value === noExample ? {} : { [limitedText("key", schema.keys)]: value };
    }
    case "object":
      return objectOf(schema.fields, context);
    case "union":
      return unionValue(schema, context);
    case "ref": {
      const target = context.types[schema.id];
      if (target === undefined || context.inside.has(schema.id)) return noExample;
      return exampleValue(target, { ...context, inside: new Set([...context.inside, schema.id]) });
    }
    default:
      return assertNever(schema);
  }
}

function arrayOf(
  { items, limits: { min = 0, max = Infinity } = {} }: Extract<Schema, { kind: "array" }>,
  context: ExampleContext,
): unknown {
  if (max === 0) return [];
  const value = exampleValue(items, context);
  if (value === noExample) return min === 0 ? [] : noExample;
  return Array.from({ length: Math.max(min, Math.min(max, context.field === undefined ? 1 : 2)) }, () => value);
}

/** Creates an example of the first variant that has one at this position; null only if no other variant does. */
function unionValue(union: Extract<Schema, { kind: "union" }>, context: ExampleContext): unknown {
  const variants = alternatives(union, (id) => context.types[id]);
  const candidates = variants.filter((variant) => !isInside(variant, context.inside));
  const valuesFirst = candidates.toSorted((a, b) => Number(a.kind === "null") - Number(b.kind === "null"));
  for (const variant of valuesFirst) {
    const value = exampleValue(variant, context);
    if (value !== noExample) return value;
  }
  return variants.length === 0 ? null : noExample;
}

function objectOf(fields: readonly Field[], context: ExampleContext): Record<string, unknown> | typeof noExample {
  const members: [string, unknown][] = [];
  for (const { name, schema, optional } of fields) {
    if (optional && schema.kind === "never") continue;
    const value = exampleValue(schema, context.field === undefined ? context : { ...context, field: name });
    if (value !== noExample) members.push([name, value]);
    else if (!optional) return noExample;
  }
  return Object.fromEntries(members);
}

function isInside(schema: Schema, inside: ReadonlySet<string>): boolean {
  return schema.kind === "ref" && inside.has(schema.id);
}

function patternText({ texts, holes }: TextPattern): string {
  return texts.map((text, i) => text + (holes[i] === undefined ? "" : holes[i] === "string" ? "text" : "1")).join("");
}

function limitedText(text: string, { min = 0, max = Infinity, format, pattern }: Limits = {}): string {
  if (format === "email") return "ann@example.com";
  if (format === "url") return "https://example.com/";
  if (pattern !== undefined) return sampleOf(knownPattern(pattern).automaton, min, max) ?? text;
  return text.repeat(Math.max(1, Math.ceil(min / text.length))).slice(0, Math.max(min, Math.min(max, text.length)));
}

function limitedNumber(number: number, { min = -Infinity, max = Infinity }: Limits = {}): number {
  return Math.max(min, Math.min(max, number));
}

function limitedInteger({ min = -Infinity, max = Infinity }: Limits = {}): number {
  return Math.max(Math.ceil(min), Math.min(Math.floor(max), 1));
}
