import type { Schema, TypeTable, Field } from "../model/schema.ts";
import { BodyDecoder } from "./body-decoder.ts";
import { LimitConstants } from "./limit-constants.ts";
import { ProblemChecks } from "./problem-checks.ts";
import { hasLimits, holds } from "./schema-queries.ts";
import { runtimeImports } from "./runtime-imports.ts";
import { taggedVariants } from "../model/tagged-variants.ts";
import { member, text } from "./text.ts";

/** The decoders and encoders of one generated module, generated on demand. */
export class Codecs {
  readonly limits: LimitConstants = new LimitConstants();
  /** Functions of the module that call decoders and encoders. */
  readonly functions: string[] = [];
  readonly #types: TypeTable;
  readonly #encoder: Encoder;
  readonly #checking: Readonly<Record<"plain" | "exact", BodyDecoder>>;
  readonly #problems: Readonly<Record<"plain" | "exact", ProblemChecks>>;
  readonly #loose: Readonly<Record<"plain" | "exact", BodyDecoder>>;

  constructor(types: TypeTable) {
    this.#types = types;
    this.#encoder = new Encoder(types);
    const decoder = (prefix: string, exact: boolean, checks: boolean): BodyDecoder =>
      new BodyDecoder(types, { exact, checks, prefix, limits: this.limits });
    this.#checking = { plain: decoder("d", false, true), exact: decoder("x", true, true) };
    this.#problems = {
      plain: new ProblemChecks(this.#checking.plain, "p", this.limits),
      exact: new ProblemChecks(this.#checking.exact, "q", this.limits),
    };
    this.#loose = { plain: decoder("l", false, false), exact: decoder("m", true, false) };
  }

  /** True if one of the schemas contains an `Int64`, which JSON.parse would round. */
  isExact(schemas: readonly Schema[]): boolean {
    return schemas.some((schema) => holds(schema, "int64", this.#types));
  }

  hasLimits(schemas: readonly Schema[]): boolean {
    return schemas.some((schema) => hasLimits(schema, this.#types));
  }

  /** Returns the decoder for an untrusted JSON text with these schemas. */
  decoder(schemas: readonly Schema[]): BodyDecoder {
    return this.#checking[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** Returns the functions that list the problems of values that `decoder` refuses, for the same schemas. */
  problems(schemas: readonly Schema[]): ProblemChecks {
    return this.#problems[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** Returns the decoder for the application's own data, such as responses and messages. It checks no limits. */
  trustedDecoder(schemas: readonly Schema[]): BodyDecoder {
    if (!this.hasLimits(schemas)) return this.decoder(schemas);
    return this.#loose[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** Returns an expression for a function that encodes values of the schema; undefined if JSON.stringify suffices. */
  encoder(schema: Schema): string | undefined {
    return this.#encoder.encoder(schema);
  }

  /** Generates a function that decodes a value or throws; without a decoder, one that returns undefined. */
  decode(name: string, decoder: string | undefined): void {
    const lines = [`  const value = ${decoder}(v, 0);`, "  return value === undefined ? refuse() : value;"];
    this.functions.push(
      decoder === undefined ? `function ${name}() {}` : [`function ${name}(v) {`, ...lines, "}"].join("\n"),
    );
  }

  /** Joins the code of all functions, followed by `last`. */
  code(last: readonly string[]): string {
    const decoders = [this.#checking, this.#problems, this.#loose].flatMap(({ plain, exact }) => [plain, exact]);
    const allFunctions = [...decoders, this.#encoder].flatMap(({ functions }) => functions);
    return [...this.limits.lines, ...allFunctions, ...this.functions, ...last, ""].join("\n");
  }

  /** Generates a module that exports `last`. */
  module(last: readonly string[], imports: readonly string[]): string {
    const code = this.code(last);
    return [...runtimeImports(code), ...imports, code].join("\n");
  }
}

/**
 * Generates functions `(v) => text` for types with an `Int64`, which JSON.stringify cannot encode. They encode declared
 * members; `exactText` encodes a value of any other shape.
 */
class Encoder {
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

  /** Like `encoder`, but returns `JSON.stringify` if that suffices. */
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

  /** Generates lines that encode nullable values, and object variants with a tag. `exactText` encodes other unions. */
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
