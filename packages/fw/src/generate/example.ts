import { assertNever } from "../lib/assert-never.ts";
import type { Limits } from "../lib/limited.ts";
import { knownPattern } from "../lib/pattern/pattern.ts";
import { sampleOf } from "../lib/pattern/sample.ts";
import type { RequestShape } from "../model/request-shape.ts";
import { alternatives, type Field, type Schema, type TextPattern, type TypeTable } from "../model/schema.ts";

/** A JSON body that a request may have; undefined where it carries none. The same for equal types. */
export function exampleOf(
  { body, whole, carries }: RequestShape,
  types: TypeTable,
): { readonly value: unknown } | undefined {
  if (carries !== "json") return undefined;
  if (whole?.schema !== undefined) return { value: exampleValue(whole.schema, types) };
  return { value: objectOf(body, types, new Set()) };
}

/** A value as JSON carries it. A type that holds itself ends at its second time. */
function exampleValue(schema: Schema, types: TypeTable, inside: ReadonlySet<string> = new Set()): unknown {
  switch (schema.kind) {
    case "string":
      return limitedText(schema.pattern === undefined ? "text" : patternText(schema.pattern), schema.limits);
    case "number":
      return limitedNumber(1.5, schema.limits);
    case "int":
      return Math.ceil(limitedNumber(1, schema.limits));
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
      if (isInside(schema.items, inside) || schema.limits?.max === 0) return [];
      return Array.from({ length: schema.limits?.min || 1 }, () => exampleValue(schema.items, types, inside));
    case "tuple":
      return schema.items.filter(({ optional }) => !optional).map((item) => exampleValue(item.schema, types, inside));
    case "record":
      if (schema.values.kind === "never" || isInside(schema.values, inside)) return {};
      return { [limitedText("key", schema.keys)]: exampleValue(schema.values, types, inside) };
    case "object":
      return objectOf(schema.fields, types, inside);
    case "union":
      return unionValue(schema, types, inside);
    case "ref": {
      const target = types[schema.id];
      if (target === undefined || inside.has(schema.id)) return null;
      return exampleValue(target, types, new Set([...inside, schema.id]));
    }
    default:
      return assertNever(schema);
  }
}

/** The first variant that does not lead back to where it is. */
function unionValue(union: Extract<Schema, { kind: "union" }>, types: TypeTable, inside: ReadonlySet<string>): unknown {
  const variants = alternatives(union, (id) => types[id]);
  const outward = variants.filter((variant) => !isInside(variant, inside));
  const chosen = outward.find(({ kind }) => kind !== "null") ?? outward[0] ?? variants[0];
  return chosen === undefined ? null : exampleValue(chosen, types, inside);
}

function objectOf(fields: readonly Field[], types: TypeTable, inside: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter(({ schema, optional }) => !(optional && (schema.kind === "never" || isInside(schema, inside))))
      .map(({ name, schema }) => [name, exampleValue(schema, types, inside)]),
  );
}

function isInside(schema: Schema, inside: ReadonlySet<string>): boolean {
  return schema.kind === "ref" && inside.has(schema.id);
}

function patternText({ texts, holes }: TextPattern): string {
  return texts.map((text, i) => text + (holes[i] === undefined ? "" : holes[i] === "string" ? "text" : "1")).join("");
}

/** The text, or one within the limits. */
function limitedText(text: string, { min = 0, max = Infinity, format, pattern }: Limits = {}): string {
  if (format === "email") return "ann@example.com";
  if (format === "url") return "https://example.com/";
  if (pattern !== undefined) return sampleOf(knownPattern(pattern).automaton, min, max) ?? text;
  return text.repeat(Math.max(1, Math.ceil(min / text.length))).slice(0, Math.max(min, Math.min(max, text.length)));
}

function limitedNumber(number: number, { min = -Infinity, max = Infinity }: Limits = {}): number {
  return Math.max(min, Math.min(max, number));
}
