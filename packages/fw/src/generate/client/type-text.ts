import { assertNever } from "../../lib/assert-never.ts";
import { type Scalar, schemaOf } from "../../model/request-shape.ts";
import { partsOf, type Field, type Schema, type TextPattern } from "../../model/schema.ts";
import { key, text } from "../text.ts";
import { fieldNotes } from "../limit-notes.ts";
import { docLines } from "./doc-lines.ts";

export type NameOf = (id: string) => string;

/** The note on types whose values JavaScript numbers cannot always represent exactly. */
export const int64Note = "An Int64: exact only up to 2^53.";

/** Returns the TypeScript type of a schema's JSON representation. */
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
      return `${parenthesized(schema.items, nameOf, indent)}[]`;
    case "tuple": {
      const items = schema.items.map(
        (item) => `${parenthesized(item.schema, nameOf, indent)}${item.optional ? "?" : ""}`,
      );
      const rest = schema.rest === undefined ? [] : [`...${parenthesized(schema.rest, nameOf, indent)}[]`];
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

/** Formats the type of a path, query or header value, which is never a named type. */
export function scalarText(scalar: Scalar): string {
  return typeText(schemaOf(scalar), (id) => id);
}

/** Formats the members of an object type in braces; on separate lines if one has a doc comment. */
export function fieldsText(fields: readonly Field[], nameOf: NameOf, indent: string, lines = false): string {
  if (fields.length === 0) return "{}";
  const inner = `${indent}  `;
  const members = fields.map(({ name, optional, schema, doc }) => ({
    doc: [doc, ...fieldNotes(schema), ...(holdsInt64(schema) ? [int64Note] : [])],
    text: `${key(name)}${optional ? "?" : ""}: ${typeText(schema, nameOf, inner)}`,
  }));
  return membersText(members, indent, lines);
}

/** A member of an object type with its doc comment. */
export interface Member {
  readonly doc: readonly (string | undefined)[];
  readonly text: string;
}

export function membersText(members: readonly Member[], indent: string, lines = false): string {
  const inner = `${indent}  `;
  const hasDoc = members.some(({ doc }) => doc.some((paragraph) => paragraph !== undefined));
  if (!lines && !hasDoc) return `{ ${members.map((member) => member.text).join("; ")} }`;
  const memberLines = members.flatMap((member) => [...docLines(member.doc, inner), `${inner}${member.text};`]);
  return ["{", ...memberLines, `${indent}}`].join("\n");
}

/** True for an Int64, or a list, map or union that contains one. Named types carry the note themselves. */
export function holdsInt64(schema: Schema): boolean {
  return schema.kind === "int64" || (schema.kind !== "object" && partsOf(schema).some(holdsInt64));
}

function parenthesized(schema: Schema, nameOf: NameOf, indent: string): string {
  const typeString = typeText(schema, nameOf, indent);
  return schema.kind === "union" && typeString.includes(" | ") ? `(${typeString})` : typeString;
}

function patternText({ texts, holes }: TextPattern): string {
  const parts = texts.map((literal, i) => templateText(literal) + (holes[i] === undefined ? "" : `\${${holes[i]}}`));
  return `\`${parts.join("")}\``;
}

/** Escapes text for a template literal, whose special characters differ from a string's. */
function templateText(value: string): string {
  return text(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}
