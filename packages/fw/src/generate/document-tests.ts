import { assertNever } from "../lib/assert-never.ts";
import type { Field, Schema, TupleItem, TypeTable } from "../model/schema.ts";
import { member, text } from "./text.ts";
import { typeWords } from "./type-words.ts";

/**
 * Generates expressions that test whether a stored value matches a schema. Documents hold dates and bigints, and any
 * number for an `Int`, because TypeScript does not require more from code. Limits only apply to requests, so they are
 * not tested.
 */
export class DocumentTests {
  /** The functions generated so far. */
  readonly functions: string[] = [];
  readonly #types: TypeTable;
  readonly #named = new Map<string, string>();

  constructor(types: TypeTable) {
    this.#types = types;
  }

  /** Generates a row of the bundle for a top-level field. */
  field({ name, schema, optional }: Field): string {
    const words = text(typeWords(schema, this.#types));
    return `{ name: ${text(name)}, optional: ${optional}, is: ${this.#function(schema)}, type: ${words} }`;
  }

  #test(schema: Schema, value: string): string {
    switch (schema.kind) {
      case "string":
        if (schema.pattern === undefined) return `typeof ${value} === "string"`;
        return `isOfPattern(${value}, ${this.#constant(JSON.stringify(schema.pattern))})`;
      case "number":
      case "int":
        return `typeof ${value} === "number"`;
      case "int64":
        return `typeof ${value} === "bigint"`;
      case "boolean":
        return `typeof ${value} === "boolean"`;
      case "null":
        return `${value} === null`;
      case "date":
        return `${value} instanceof Date`;
      case "json":
        return `isJSON(${value})`;
      case "literal":
        return `${value} === ${typeof schema.value === "string" ? text(schema.value) : String(schema.value)}`;
      case "never":
        return `${value} === undefined`;
      case "array":
        return `(Array.isArray(${value}) && ${value}.every(${this.#function(schema.items)}))`;
      case "tuple":
        return this.#tupleTest(schema.items, schema.rest, value);
      case "record":
        return `(isRecord(${value}) && Object.values(${value}).every(${this.#optional(schema.values)}))`;
      case "object":
        return `(${[`isRecord(${value})`, ...schema.fields.map((each) => this.#fieldTest(each, value))].join(" && ")})`;
      case "union":
        return `(${schema.variants.map((variant) => this.#test(variant, value)).join(" || ")})`;
      case "ref":
        return `${this.#reference(schema.id)}(${value})`;
      case "blob":
      case "void":
        throw new Error(`a document holds no ${schema.kind}`);
      default:
        return assertNever(schema);
    }
  }

  #fieldTest({ name, schema, optional }: Field, value: string): string {
    const own = member(value, name);
    const test = this.#test(schema, own);
    return optional ? `(${own} === undefined || ${test})` : test;
  }

  #tupleTest(items: readonly TupleItem[], rest: Schema | undefined, value: string): string {
    const least = items.filter(({ optional }) => !optional).length;
    const parts = [
      `Array.isArray(${value})`,
      `${value}.length >= ${least}`,
      ...(rest === undefined ? [`${value}.length <= ${items.length}`] : []),
      ...items.map(({ schema, optional }, i) => {
        const test = this.#test(schema, `${value}[${i}]`);
        return optional ? `(${value}[${i}] === undefined || ${test})` : test;
      }),
      ...(rest === undefined ? [] : [`${value}.slice(${items.length}).every(${this.#function(rest)})`]),
    ];
    return `(${parts.join(" && ")})`;
  }

  #function(schema: Schema): string {
    return schema.kind === "ref" ? this.#reference(schema.id) : `(v) => ${this.#test(schema, "v")}`;
  }

  /** Like `#function`, for members that may be undefined, which are not stored. */
  #optional(schema: Schema): string {
    return `(v) => v === undefined || ${this.#test(schema, "v")}`;
  }

  #reference(id: string): string {
    const existing = this.#named.get(id);
    if (existing !== undefined) return existing;
    const target = this.#types[id];
    if (target === undefined) throw new Error(`the type table has no ${id}`);
    const name = `is${this.functions.push("") - 1}`;
    this.#named.set(id, name);
    const position = this.functions.length - 1;
    this.functions[position] = `function ${name}(v) { return ${this.#test(target, "v")}; }`;
    return name;
  }

  #constant(value: string): string {
    const name = `pattern${this.functions.length}`;
    this.functions.push(`const ${name} = ${value};`);
    return name;
  }
}
