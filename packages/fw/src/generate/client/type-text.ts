import { assertNever } from "../../lib/assert-never.ts";
import type { Scalar } from "../../model/request-shape.ts";
import { partsOf, type Field, type Schema, type TextPattern } from "../../model/schema.ts";
import { key, text } from "../text.ts";
import { schemaOf } from "../scalar-schema.ts";
import { fieldNotes } from "../limit-words.ts";
import { docLines } from "./doc-lines.ts";

/** The name of a named type. */
export type NameOf = (id: string) => string;

/** What is said of a value that JavaScript numbers cannot hold exactly. */
export const int64Note = "An Int64: exact up to 2^53 only.";

/** A schema as TypeScript, as JSON carries its values. */
export function typeText(schema: Schema, nameOf: NameOf, indent = ""): string {
  switch (schema.kind) {
    case "string":
      return schema.pattern === undefined ? "string" : patternText(schema.pattern);
    case "date":
      return "string";
    case "number":
    case "int":
    case "int64":
      return "number";
    case "boolean":
    case "null":
    case "never":
    case "void":
      return schema.kind;
    case "json":
      return "Json";
    case "blob":
      if (schema.events === undefined) return "globalThis.Response";
      return `globalThis.AsyncIterable<ApiEvent<${typeText(schema.events, nameOf, indent)}>>`;
    case "literal":
      return typeof schema.value === "string" ? text(schema.value) : String(schema.value);
    case "array":
      return `${grouped(schema.items, nameOf, indent)}[]`;
    case "tuple": {
      const items = schema.items.map((item) => `${grouped(item.schema, nameOf, indent)}${item.optional ? "?" : ""}`);
      const rest = schema.rest === undefined ? [] : [`...${grouped(schema.rest, nameOf, indent)}[]`];
      return `[${[...items, ...rest].join(", ")}]`;
    }
    case "record":
      return `{ [key: string]: ${typeText(schema.values, nameOf, indent)} }`;
    case "object":
      return fieldsText(schema.fields, nameOf, indent);
    case "union":
      return [...new Set(schema.variants.map((variant) => typeText(variant, nameOf, indent)))].join(" | ");
    case "ref":
      return nameOf(schema.id);
    default:
      return assertNever(schema);
  }
}

/** A value of a path, a query or a header, none of which is a named type. */
export function scalarText(scalar: Scalar): string {
  return typeText(schemaOf(scalar), (id) => id);
}

/** The members of an object type between braces; on lines of their own where one of them has something said of it. */
export function fieldsText(fields: readonly Field[], nameOf: NameOf, indent: string, lines = false): string {
  if (fields.length === 0) return "{}";
  const inner = `${indent}  `;
  const members = fields.map(({ name, optional, schema, doc }) => ({
    doc: [doc, ...fieldNotes(schema), ...(holdsInt64(schema) ? [int64Note] : [])],
    text: `${key(name)}${optional ? "?" : ""}: ${typeText(schema, nameOf, inner)}`,
  }));
  return membersText(members, indent, lines);
}

/** Something with a name, and what is said of it. */
export interface Member {
  readonly doc: readonly (string | undefined)[];
  readonly text: string;
}

export function membersText(members: readonly Member[], indent: string, lines = false): string {
  const inner = `${indent}  `;
  const hasDoc = members.some(({ doc }) => doc.some((paragraph) => paragraph !== undefined));
  if (!lines && !hasDoc) return `{ ${members.map((member) => member.text).join("; ")} }`;
  const written = members.flatMap((member) => [...docLines(member.doc, inner), `${inner}${member.text};`]);
  return ["{", ...written, `${indent}}`].join("\n");
}

/** True where the value is an Int64 or a list, a map or a choice of them; named types say it of themselves. */
export function holdsInt64(schema: Schema): boolean {
  return schema.kind === "int64" || (schema.kind !== "object" && partsOf(schema).some(holdsInt64));
}

function grouped(schema: Schema, nameOf: NameOf, indent: string): string {
  const written = typeText(schema, nameOf, indent);
  return schema.kind === "union" && written.includes(" | ") ? `(${written})` : written;
}

/** As TypeScript writes it. */
function patternText({ texts, holes }: TextPattern): string {
  const parts = texts.map((literal, i) => templateText(literal) + (holes[i] === undefined ? "" : `\${${holes[i]}}`));
  return `\`${parts.join("")}\``;
}

/** The text of a template literal: that of a string, with other marks escaped. */
function templateText(value: string): string {
  return text(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}
