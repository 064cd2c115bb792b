import { assertNever } from "../lib/assert-never.ts";
import { jsonDepth } from "../lib/limits.ts";
import type { Limits } from "../lib/limited.ts";
import { limitsOf, type Field, type Schema, type TypeTable } from "../model/schema.ts";
import { arrayLines, tupleLines } from "./body-list.ts";
import { objectLines, recordLines } from "./body-object.ts";
import { unionLines } from "./body-union.ts";
import type { BodyWriter } from "./body-writer.ts";
import { testOf } from "./plain-test.ts";
import type { KeptLimits } from "./kept-limits.ts";
import { reachable } from "./reach.ts";
import { text } from "./text.ts";
import { typeWords } from "./type-words.ts";

/**
 * Writes functions `(v, n) => value` that check a JSON value and copy what the schema declares; `n` counts nesting.
 * They return undefined for another shape, with the reason noted (`runtime/decode/body.ts`).
 */
export interface BodyDecoder {
  /** The name of the function that decodes `schema`, written on first use. */
  decoder(schema: Schema): string;
  /** The name of the function that decodes an object of these fields. */
  object(fields: readonly Field[]): string;
  /** The functions written so far. */
  readonly functions: readonly string[];
}

/** How the functions of one module are written. */
export interface DecoderOptions {
  /** Bodies are parsed with `parseExact`, which makes bigints of large integers. */
  readonly exact: boolean;
  /** Values are held to their limits, as those of requests are. */
  readonly checks: boolean;
  /** What the names of the functions begin with. */
  readonly prefix: string;
  readonly limits: KeptLimits;
}

export function bodyDecoder(types: TypeTable, { exact, checks, prefix, limits: kept }: DecoderOptions): BodyDecoder {
  const functions: string[] = [];
  const written = new Map<Schema | string, string>();
  const unions = new Map<string, Schema>();
  const writer: BodyWriter = { types, decoder, anyOf, test: plainTest, words, declare, define, keep };

  function decoder(schema: Schema): string {
    if (schema.kind === "ref") return reference(schema.id);
    return written.get(schema) ?? body(schema, remembered(schema));
  }

  function anyOf(schemas: readonly Schema[]): Schema {
    const [only, ...more] = schemas;
    if (only && more.length === 0) return only;
    const key = JSON.stringify(schemas);
    const union: Schema = unions.get(key) ?? { kind: "union", variants: schemas };
    unions.set(key, union);
    return union;
  }

  function object(fields: readonly Field[]): string {
    return body({ kind: "object", fields }, declare());
  }

  function remembered(schema: Schema | string): string {
    const name = declare();
    written.set(schema, name);
    return name;
  }

  function declare(): string {
    return `${prefix}${functions.push("") - 1}`;
  }

  function define(name: string, lines: readonly string[]): string {
    functions[Number(name.slice(prefix.length))] = [`function ${name}(v, n) {`, ...lines, "}"].join("\n");
    return name;
  }

  function keep(name: string, value: string): void {
    functions.push(`const ${name} = ${value};`);
  }

  /** A named type; one that contains itself counts its nesting. */
  function reference(id: string): string {
    const known = written.get(id);
    if (known !== undefined) return known;
    const target = types[id] ?? missing(id);
    if (!reachable(target, types).has(id)) return decoder(target);
    const outer = remembered(id);
    return define(outer, [`  return n > ${jsonDepth} ? tooDeep() : ${decoder(target)}(v, n + 1);`]);
  }

  function body(schema: Exclude<Schema, { kind: "ref" }>, name: string): string {
    const limits = checks ? limitsOf(schema) : undefined;
    if (limits !== undefined && schema.kind !== "array") return define(name, limitedLines(schema, limits));
    const test = plainTest(schema, "v");
    if (test !== undefined) return define(name, [`  return ${test} ? v : wrong(v, ${words(schema)});`]);
    switch (schema.kind) {
      case "number":
        return define(name, ["  return bodyNumber(v);"]);
      case "int64":
        return define(name, ["  return bodyInt64(v);"]);
      case "date":
        return define(name, ["  return toDate(v);"]);
      case "json":
        return define(name, ["  return bodyJSON(v, n);"]);
      case "array":
        return define(name, arrayLines(writer, schema, limits && kept.nameOf(limits)));
      case "tuple":
        return define(name, tupleLines(writer, schema));
      case "record":
        return define(name, recordLines(writer, schema));
      case "object":
        return define(name, objectLines(writer, schema));
      case "union":
        return define(name, unionLines(writer, schema, name));
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

  /** A value is of the type first, and then within the limits. */
  function limitedLines(schema: Exclude<Schema, { kind: "ref" }>, limits: Limits): string[] {
    const name = kept.nameOf(limits);
    const { limits: _, ...free } = schema as Schema & { readonly limits: Limits };
    const test = testOf(free, "v", { exact, checks, constant });
    if (test !== undefined) return [`  return ${test} ? within(v, ${name}) : wrong(v, ${words(free)});`];
    return ["  const value = bodyNumber(v);", `  return value === undefined ? undefined : within(value, ${name});`];
  }

  function words(schema: Schema): string {
    return text(typeWords(schema, types));
  }

  function plainTest(schema: Schema, value: string): string | undefined {
    return testOf(schema, value, { exact, checks, constant });
  }

  function constant(expression: string): string {
    const name = declare();
    functions[Number(name.slice(prefix.length))] = `const ${name} = ${expression};`;
    return name;
  }

  return { decoder, object, functions };
}

function missing(id: string): never {
  throw new Error(`the type table has no ${id}`);
}
