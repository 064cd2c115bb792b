import type { Field, Schema, TypeTable } from "../model/schema.ts";
import { holds } from "./reach.ts";
import { taggedVariants } from "./tagged-variants.ts";
import { member, text } from "./text.ts";

/**
 * Writes functions `(v) => text` for what JSON.stringify cannot encode: values that hold an Int64. They write the
 * declared members; a value of another shape than declared is left to `exactText`, which encodes any.
 */
export interface Encoder {
  /** The expression of a function that encodes `schema`; undefined where JSON.stringify is right. */
  encoder(schema: Schema): string | undefined;
  /** The functions written so far. */
  readonly functions: readonly string[];
}

export function encoderOf(types: TypeTable): Encoder {
  const functions: string[] = [];
  const written = new Map<Schema, string>();

  function encoder(schema: Schema): string | undefined {
    return holds(schema, "int64", types) ? exact(schema) : undefined;
  }

  /** The function of a schema that may or may not hold an Int64. */
  function anyEncoder(schema: Schema): string {
    return encoder(schema) ?? "JSON.stringify";
  }

  function exact(schema: Schema): string {
    const target = schema.kind === "ref" ? types[schema.id] : schema;
    if (target === undefined || target.kind === "int64") return "exactText";
    return written.get(target) ?? write(target);
  }

  function write(schema: Schema): string {
    const position = functions.push("") - 1;
    const name = `e${position}`;
    written.set(schema, name);
    functions[position] = [`function ${name}(v) {`, ...linesOf(schema), "}"].join("\n");
    return name;
  }

  function linesOf(schema: Schema): readonly string[] {
    switch (schema.kind) {
      case "object":
        return objectLines(schema.fields);
      case "array":
        return arrayLines(schema.items);
      case "record":
        return recordLines(schema.values);
      case "union":
        return unionLines(schema);
      default:
        return anyLines;
    }
  }

  function objectLines(fields: readonly Field[]): string[] {
    const members = fields.map(
      ({ name, schema }) =>
        `  if ((t = ${anyEncoder(schema)}(${member("v", name)})) !== undefined) out += ${text(`,${text(name)}:`)} + t;`,
    );
    return [notObject, `  let out = "", t;`, ...members, `  return "{" + out.slice(1) + "}";`];
  }

  function arrayLines(items: Schema): string[] {
    return [
      "  if (!Array.isArray(v)) return exactText(v);",
      `  let out = "";`,
      `  for (let i = 0; i < v.length; i++) out += "," + (${anyEncoder(items)}(v[i]) ?? "null");`,
      `  return "[" + out.slice(1) + "]";`,
    ];
  }

  function recordLines(values: Schema): string[] {
    return [
      notObject,
      `  let out = "", t;`,
      `  for (const name of Object.keys(v)) if ((t = ${anyEncoder(values)}(v[name])) !== undefined) out += "," + JSON.stringify(name) + ":" + t;`,
      `  return "{" + out.slice(1) + "}";`,
    ];
  }

  /** An optional value, or object variants by their tag; other unions are left to `exactText`. */
  function unionLines(schema: Extract<Schema, { kind: "union" }>): readonly string[] {
    const variants = schema.variants.filter(({ kind }) => kind !== "null");
    const [only] = variants;
    if (variants.length === 1 && only !== undefined) return [`  return v === null ? "null" : ${anyEncoder(only)}(v);`];
    const tagged = schema.tag === undefined ? undefined : taggedVariants(schema, schema.tag, types);
    if (schema.tag === undefined || tagged === undefined) return anyLines;
    const cases = [...tagged].map(
      ([value, variant]) => `    case ${JSON.stringify(value)}: return ${anyEncoder(variant)}(v);`,
    );
    return [notObject, `  switch (${member("v", schema.tag)}) {`, ...cases, "    default: return exactText(v);", "  }"];
  }

  return { encoder, functions };
}

const anyLines = ["  return exactText(v);"];
const notObject = `  if (typeof v !== "object" || v === null || typeof v.toJSON === "function") return exactText(v);`;
