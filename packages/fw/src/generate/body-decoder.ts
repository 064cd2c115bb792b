import { assertNever } from "../lib/assert-never.ts";
import { jsonDepth } from "../lib/limits.ts";
import type { Limits } from "../lib/limited.ts";
import { limitsOf, reachable, type Field, type Schema, type TypeTable } from "../model/schema.ts";
import { arrayLines, objectLines, recordLines, tupleLines } from "./body-structure.ts";
import { unionLines } from "./body-union.ts";
import type { LimitConstants } from "./limit-constants.ts";
import { text } from "./text.ts";
import { typeWords } from "./type-words.ts";

export type Of<Kind extends Schema["kind"]> = Extract<Schema, { kind: Kind }>;

export interface DecoderOptions {
  /** True if bodies are parsed with `parseExact`, which returns large integers as bigints. */
  readonly exact: boolean;
  /** True if decoders check limits, as for requests. */
  readonly checks: boolean;
  readonly prefix: string;
  readonly limits: LimitConstants;
}

/**
 * Generates functions `(v, n) => value` that check a JSON value and copy its declared members; `n` is the nesting
 * depth. For a value of another shape, they record a failure and return undefined (`runtime/decode/body.ts`).
 */
export class BodyDecoder {
  readonly types: TypeTable;
  readonly functions: string[] = [];
  readonly #options: DecoderOptions;
  readonly #names = new Map<Schema | string, string>();
  readonly #unions = new Map<string, Schema>();

  constructor(types: TypeTable, options: DecoderOptions) {
    this.types = types;
    this.#options = options;
  }

  /** Returns the name of the function that decodes `schema`; generates it on first use. */
  decoder(schema: Schema): string {
    if (schema.kind === "ref") return this.#reference(schema.id);
    return this.#names.get(schema) ?? this.#body(schema, this.#remembered(schema));
  }

  /** Returns the name of a function that decodes an object with these fields. */
  object(fields: readonly Field[]): string {
    return this.#body({ kind: "object", fields }, this.declare());
  }

  /** Returns the union of some schemas; the same object for equal ones, so that recursive types terminate. */
  anyOf(schemas: readonly Schema[]): Schema {
    const [only, ...more] = schemas;
    if (only && more.length === 0) return only;
    const key = JSON.stringify(schemas);
    const union: Schema = this.#unions.get(key) ?? { kind: "union", variants: schemas };
    this.#unions.set(key, union);
    return union;
  }

  /**
   * Returns the condition under which `value` matches the schema and needs no copy; undefined if it must be decoded.
   */
  test(schema: Schema, value: string): string | undefined {
    const { exact, checks } = this.#options;
    return testOf(schema, value, { exact, checks, constant: (expression) => this.#constant(expression) });
  }

  words(schema: Schema): string {
    return text(typeWords(schema, this.types));
  }

  /** Reserves a name for a function that `define` adds. */
  declare(): string {
    return `${this.#options.prefix}${this.functions.push("") - 1}`;
  }

  define(name: string, lines: readonly string[]): string {
    return this.#put(name, [`function ${name}(v, n) {`, ...lines, "}"].join("\n"));
  }

  /** Adds a module-level constant. */
  keep(name: string, value: string): void {
    this.functions.push(`const ${name} = ${value};`);
  }

  #constant(expression: string): string {
    const name = this.declare();
    return this.#put(name, `const ${name} = ${expression};`);
  }

  #put(name: string, code: string): string {
    this.functions[Number(name.slice(this.#options.prefix.length))] = code;
    return name;
  }

  #remembered(schema: Schema | string): string {
    const name = this.declare();
    this.#names.set(schema, name);
    return name;
  }

  /**
   * Returns the name of the function that decodes a named type. For a recursive type, the function tracks the nesting
   * depth.
   */
  #reference(id: string): string {
    const existing = this.#names.get(id);
    if (existing !== undefined) return existing;
    const target = this.types[id];
    if (target === undefined) throw new Error(`the type table has no ${id}`);
    if (!reachable(target, this.types).has(id)) return this.decoder(target);
    const outer = this.#remembered(id);
    return this.define(outer, [`  return n > ${jsonDepth} ? tooDeep() : ${this.decoder(target)}(v, n + 1);`]);
  }

  #body(schema: Exclude<Schema, { kind: "ref" }>, name: string): string {
    return this.define(name, this.#lines(schema, name));
  }

  #lines(schema: Exclude<Schema, { kind: "ref" }>, name: string): readonly string[] {
    const limits = this.#options.checks ? limitsOf(schema) : undefined;
    if (limits !== undefined && schema.kind !== "array") return this.#limitedLines(schema, limits);
    const test = this.test(schema, "v");
    if (test !== undefined) return [`  return ${test} ? v : wrong(v, ${this.words(schema)});`];
    switch (schema.kind) {
      case "number":
        return ["  return bodyNumber(v);"];
      case "int64":
        return ["  return bodyInt64(v);"];
      case "date":
        return ["  return toDate(v);"];
      case "json":
        return ["  return bodyJSON(v, n);"];
      case "array":
        return arrayLines(this, schema, limits && this.#options.limits.nameOf(limits));
      case "tuple":
        return tupleLines(this, schema);
      case "record":
        return recordLines(this, schema, this.#keyLimits(schema));
      case "object":
        return objectLines(this, schema);
      case "union":
        return unionLines(this, schema, name);
      case "string":
      case "int":
      case "boolean":
      case "null":
      case "literal":
      case "never":
      case "blob":
      case "void":
        throw new Error(`a JSON body holds no ${schema.kind}`);
      default:
        return assertNever(schema);
    }
  }

  #keyLimits({ keys }: Extract<Schema, { kind: "record" }>): string | undefined {
    return this.#options.checks && keys !== undefined ? this.#options.limits.nameOf(keys) : undefined;
  }

  /** Generates lines that check the type first, then the limits. */
  #limitedLines(schema: Exclude<Schema, { kind: "ref" }>, limits: Limits): string[] {
    const name = this.#options.limits.nameOf(limits);
    const { limits: _, ...free } = schema as Schema & { readonly limits: Limits };
    const test = this.test(free, "v");
    if (test !== undefined) return [`  return ${test} ? within(v, ${name}) : wrong(v, ${this.words(free)});`];
    return ["  const value = bodyNumber(v);", `  return value === undefined ? undefined : within(value, ${name});`];
  }
}

/** The maximum number of strings in a union to compare one by one. A larger union uses a set. */
const comparedStrings = 8;

interface TestOptions {
  /** True if numbers may be bigints, which must be converted. */
  readonly exact: boolean;
  /** True if tests check limits. */
  readonly checks: boolean;
  /** Adds a module-level constant and returns its name. */
  readonly constant: (expression: string) => string;
}

/**
 * Returns the condition under which `value` matches `schema` and can be used unchanged; undefined if it must be
 * decoded.
 */
function testOf(schema: Schema, value: string, options: TestOptions): string | undefined {
  if (options.checks && limitsOf(schema) !== undefined) return undefined;
  switch (schema.kind) {
    case "string":
      return schema.pattern === undefined
        ? `typeof ${value} === "string"`
        : `isOfPattern(${value}, ${options.constant(JSON.stringify(schema.pattern))})`;
    case "boolean":
      return `typeof ${value} === "${schema.kind}"`;
    case "number":
      return options.exact ? undefined : `Number.isFinite(${value})`;
    case "int":
      return `Number.isSafeInteger(${value})`;
    case "null":
      return `${value} === null`;
    case "literal":
      return `${value} === ${typeof schema.value === "string" ? text(schema.value) : String(schema.value)}`;
    case "never":
      return "false";
    case "union":
      return unionTest(schema.variants, value, options);
    default:
      return undefined;
  }
}

function unionTest(variants: readonly Schema[], value: string, options: TestOptions): string | undefined {
  const strings = variants.flatMap((variant) => stringOf(variant) ?? []);
  const isLong = strings.length > comparedStrings;
  const compared = isLong ? variants.filter((variant) => stringOf(variant) === undefined) : variants;
  const tests = compared.map((variant) => testOf(variant, value, options));
  if (tests.includes(undefined)) return undefined;
  if (isLong) tests.push(`${options.constant(`new Set([${strings.map(text).join(", ")}])`)}.has(${value})`);
  return `(${tests.join(" || ")})`;
}

function stringOf(schema: Schema): string | undefined {
  return schema.kind === "literal" && typeof schema.value === "string" ? schema.value : undefined;
}
