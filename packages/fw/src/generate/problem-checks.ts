import { jsonDepth } from "../lib/limits.ts";
import { alternatives, limitsOf, reachable, type Field, type Schema } from "../model/schema.ts";
import type { BodyDecoder, Of } from "./body-decoder.ts";
import type { LimitConstants } from "./limit-constants.ts";
import { taggedVariants } from "../model/tagged-variants.ts";
import { key, objectLiteral, text } from "./text.ts";

/**
 * Generates functions `(v, n, p) => …` that collect the problems of a JSON value (`runtime/decode/problems.ts`). They
 * run only for refused requests, and use the decoder for values that can have only one problem.
 */
export class ProblemChecks {
  readonly functions: string[] = [];
  readonly #decoder: BodyDecoder;
  readonly #prefix: string;
  readonly #limits: LimitConstants;
  readonly #names = new Map<string, string>();

  constructor(decoder: BodyDecoder, prefix: string, limits: LimitConstants) {
    this.#decoder = decoder;
    this.#prefix = prefix;
    this.#limits = limits;
  }

  /**
   * Returns the name of the function that checks values of `schema`, generated on first use. Equal schemas share one.
   */
  check(schema: Schema): string {
    const id = JSON.stringify(schema, (member, value: unknown) => (member === "doc" ? undefined : value));
    const name = this.#names.get(id);
    if (name !== undefined) return name;
    if (schema.kind === "ref") return this.#reference(schema.id, id);
    const decode = this.#canHaveSeveral(schema) ? undefined : this.#decoder.decoder(schema);
    if (decode !== undefined) {
      this.#names.set(id, decode);
      return decode;
    }
    return this.#define(id, () => this.#call(schema));
  }

  #define(id: string, call: () => string): string {
    const name = `${this.#prefix}${this.functions.push("") - 1}`;
    this.#names.set(id, name);
    this.functions[Number(name.slice(this.#prefix.length))] = `const ${name} = (v, n, p) => ${call()};`;
    return name;
  }

  #reference(type: string, id: string): string {
    const target = this.#decoder.types[type];
    if (target === undefined) throw new Error(`the type table has no ${type}`);
    if (!reachable(target, this.#decoder.types).has(type)) return this.check(target);
    return this.#define(id, () => `n > ${jsonDepth} ? tooDeep() : ${this.check(target)}(v, n + 1, p)`);
  }

  #canHaveSeveral(schema: Exclude<Schema, { kind: "ref" }>): boolean {
    if (schema.kind === "union")
      return taggedVariants(schema, this.#decoder.types) !== undefined || this.#hasOnly(schema);
    if (limitsOf(schema) !== undefined) return true;
    return schema.kind === "array" || schema.kind === "tuple" || schema.kind === "record" || schema.kind === "object";
  }

  #call(schema: Schema): string {
    const limits = limitsOf(schema);
    switch (schema.kind) {
      case "array":
        return `p.items(v, n, ${this.check(schema.items)}${limits === undefined ? "" : `, ${this.#limits.nameOf(limits)}`})`;
      case "tuple":
        return this.#tuple(schema);
      case "record": {
        const keys = schema.keys === undefined ? "" : `, ${this.#limits.nameOf(schema.keys)}`;
        return `p.entries(v, n, ${this.check(schema.values)}${keys})`;
      }
      case "object":
        return this.#fields(schema.fields);
      case "union":
        return this.#union(schema);
      default: {
        const { limits: _, ...free } = schema as Schema & { readonly limits?: unknown };
        return `p.limited(${this.check(free)}(v, n), ${this.#limits.nameOf(limits ?? {})})`;
      }
    }
  }

  #fields(fields: readonly Field[]): string {
    const declared = fields.filter(({ name }) => name !== "__proto__");
    const checks = declared.map(({ name, schema }) => `${key(name)}: ${this.check(schema)}`);
    const optional = declared.filter((field) => field.optional).map(({ name }) => text(name));
    return `p.fields(v, n, ${objectLiteral(checks)}${optional.length === 0 ? "" : `, [${optional.join(", ")}]`})`;
  }

  #tuple({ items, rest }: Of<"tuple">): string {
    const least = items.filter(({ optional }) => !optional).length;
    const type = rest === undefined ? `list of ${items.length}` : "list";
    const checks = items.map(({ schema }) => this.check(schema)).join(", ");
    return `p.tuple(v, n, [${text(type)}, ${least}], [${checks}]${rest === undefined ? "" : `, ${this.check(rest)}`})`;
  }

  #union(schema: Of<"union">): string {
    const decode = this.#decoder.decoder(schema);
    const tagged = taggedVariants(schema, this.#decoder.types);
    if (tagged !== undefined) {
      const variants = Array.from(tagged.variants, ([value, variant]) => {
        return `[${typeof value === "string" ? text(value) : value}, ${this.check(variant)}]`;
      });
      return `p.variant(v, n, ${text(tagged.tag)}, [${variants.join(", ")}], ${decode})`;
    }
    const { object, list } = this.#only(schema);
    const checks = [object && this.check(object), list && this.check(list)].map((name) => name ?? "undefined");
    return `p.either(v, n, ${decode}, ${checks.join(", ")})`;
  }

  #hasOnly(schema: Of<"union">): boolean {
    const { object, list } = this.#only(schema);
    return object !== undefined || list !== undefined;
  }

  /** Returns the union's only object variant and only list variant; neither if a variant accepts any JSON. */
  #only(schema: Of<"union">): { readonly object?: Schema | undefined; readonly list?: Schema | undefined } {
    const { types } = this.#decoder;
    const variants = alternatives(schema, (id) => types[id]);
    const kindOf = (variant: Schema): string => (variant.kind === "ref" ? types[variant.id] : variant)?.kind ?? "json";
    if (variants.some((variant) => kindOf(variant) === "json")) return {};
    const objects = variants.filter((variant) => ["object", "record"].includes(kindOf(variant)));
    const lists = variants.filter((variant) => ["array", "tuple"].includes(kindOf(variant)));
    const [list] = lists;
    return {
      object: objects.length === 1 ? objects[0] : undefined,
      // A tuple of the wrong length matches no variant.
      list: lists.length === 1 && list !== undefined && kindOf(list) === "array" ? list : undefined,
    };
  }
}
