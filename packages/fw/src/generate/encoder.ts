import type { Field, Schema, TypeTable } from "../model/schema.ts";
import { holds } from "./schema-queries.ts";
import { taggedVariants } from "../model/tagged-variants.ts";
import { member, text } from "./text.ts";

/**
 * Generates functions `(v) => text` for types that JSON.stringify cannot encode: those with an Int64. They encode
 * declared members; `exactText` encodes a value of any other shape.
 */
export class Encoder {
  /** The functions generated so far. */
  readonly functions: string[] = [];
  readonly #types: TypeTable;
  readonly #names = new Map<Schema, string>();

  constructor(types: TypeTable) {
    this.#types = types;
  }

  /** Returns an expression for a function that encodes `schema`; undefined if JSON.stringify suffices. */
  encoder(schema: Schema): string | undefined {
    return holds(schema, "int64", this.#types) ? this.#exact(schema) : undefined;
  }

  /** Returns a function for any schema, even without an Int64. */
  #any(schema: Schema): string {
    return this.encoder(schema) ?? "JSON.stringify";
  }

  #exact(schema: Schema): string {
    const target = schema.kind === "ref" ? this.#types[schema.id] : schema;
    if (target === undefined || target.kind === "int64") return "exactText";
    return this.#names.get(target) ?? this.#write(target);
  }

  #write(schema: Schema): string {
    const position = this.functions.push("") - 1;
    const name = `e${position}`;
    this.#names.set(schema, name);
    this.functions[position] = [`function ${name}(v) {`, ...this.#linesOf(schema), "}"].join("\n");
    return name;
  }

  #linesOf(schema: Schema): readonly string[] {
    switch (schema.kind) {
      case "object":
        return this.#objectLines(schema.fields);
      case "array":
        return this.#arrayLines(schema.items);
      case "record":
        return this.#recordLines(schema.values);
      case "union":
        return this.#unionLines(schema);
      default:
        return anyLines;
    }
  }

  #objectLines(fields: readonly Field[]): string[] {
    const members = fields.map(
      ({ name, schema }) =>
        `  if ((t = ${this.#any(schema)}(${member("v", name)})) !== undefined) out += ${text(`,${text(name)}:`)} + t;`,
    );
    return [notObject, `  let out = "", t;`, ...members, `  return "{" + out.slice(1) + "}";`];
  }

  #arrayLines(items: Schema): string[] {
    return [
      "  if (!Array.isArray(v)) return exactText(v);",
      `  let out = "";`,
      `  for (let i = 0; i < v.length; i++) out += "," + (${this.#any(items)}(v[i]) ?? "null");`,
      `  return "[" + out.slice(1) + "]";`,
    ];
  }

  #recordLines(values: Schema): string[] {
    return [
      notObject,
      `  let out = "", t;`,
      `  for (const name of Object.keys(v)) if ((t = ${this.#any(values)}(v[name])) !== undefined) out += "," + JSON.stringify(name) + ":" + t;`,
      `  return "{" + out.slice(1) + "}";`,
    ];
  }

  /** Handles optional values, and object variants with a tag; `exactText` handles other unions. */
  #unionLines(schema: Extract<Schema, { kind: "union" }>): readonly string[] {
    const variants = schema.variants.filter(({ kind }) => kind !== "null");
    const [only] = variants;
    if (variants.length === 1 && only !== undefined) return [`  return v === null ? "null" : ${this.#any(only)}(v);`];
    const tagged = taggedVariants(schema, this.#types);
    if (tagged === undefined) return anyLines;
    const cases = [...tagged.variants].map(
      ([value, variant]) => `    case ${JSON.stringify(value)}: return ${this.#any(variant)}(v);`,
    );
    return [notObject, `  switch (${member("v", tagged.tag)}) {`, ...cases, "    default: return exactText(v);", "  }"];
  }
}

const anyLines = ["  return exactText(v);"];
const notObject = `  if (typeof v !== "object" || v === null || typeof v.toJSON === "function") return exactText(v);`;
