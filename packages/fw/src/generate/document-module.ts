import type { Entity } from "../model/entity.ts";
import { objectsOf } from "../model/evolution.ts";
import type { Schema, TypeTable, Field, TupleItem } from "../model/schema.ts";
import { runtimeImports, runtimeNames } from "./runtime-imports.ts";
import { key, member, text } from "./text.ts";
import { assertNever } from "../lib/assert-never.ts";
import { typeWords } from "./type-words.ts";

/** The specifier of the generated module that describes the fields of stored documents. */
export const documentsSpecifier = "fw:documents";

/** Generates a module that exports `documents`: the fields of each alternative of an entity's type, by entity name. */
export function documentModule(entities: readonly Entity[], types: TypeTable): string {
  const { functions, rows } = documentRows(entities, types);
  const code = [...functions, "export const documents = {", ...rows, "};", ""].join("\n");
  return [...runtimeImports(code), code].join("\n");
}

/** Generates the body of a function with the parameter `runtime` that returns the tests for an entity's documents. */
export function documentBody(entity: Entity, types: TypeTable): string {
  const { functions, rows } = documentRows([entity], types);
  const code = [...functions, "const documents = {", ...rows, "};"].join("\n");
  const names = runtimeNames(code).join(", ");
  return [`"use strict";`, `const { ${names} } = runtime;`, code, "return Object.values(documents)[0];"].join("\n");
}

export function documentSchemas({ document }: Entity): readonly Schema[] {
  return document === undefined ? [] : [document];
}

function documentRows(
  entities: readonly Entity[],
  types: TypeTable,
): { readonly functions: readonly string[]; readonly rows: readonly string[] } {
  const tests = new DocumentTests(types);
  const rows = entities.flatMap(({ name, document }) => {
    if (document === undefined) return [];
    const alternatives = objectsOf(document, (id) => types[id]).map(
      ({ fields }) => `    [${fields.map((field) => tests.field(field)).join(", ")}],`,
    );
    return [`  ${key(name)}: [`, ...alternatives, "  ],"];
  });
  return { functions: tests.functions, rows };
}

/**
 * Generates expressions that test whether a stored value matches a schema. Documents contain dates and bigints, and any
 * number for an `Int`, because TypeScript cannot require an integer. Limits only apply to requests, so they are not
 * tested.
 */
class DocumentTests {
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
