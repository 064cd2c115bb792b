import { closure } from "../lib/closure.ts";
import { grouped } from "../lib/grouped.ts";
import { missOf, type Limits } from "../lib/limited.ts";
import {
  alternatives,
  limitsOf,
  literalsOf,
  partsOf,
  refsIn,
  type Field,
  type Schema,
  type TypeTable,
} from "../model/schema.ts";
import { taggedVariants } from "../model/tagged-variants.ts";

/**
 * The form of values. `stored`: as read from a store, where an `Int` is any number. `wire`: as JSON. `checked`: as JSON
 * in a request, which must meet the constraints.
 */
export type Medium = "stored" | "wire" | "checked";

export interface TypeIn {
  readonly schema: Schema;
  readonly types: TypeTable;
}

/** A position at which values of one type do not fit another. */
export interface Misfit {
  /** The path from the root value, such as `lines[].sent`; "" for the root value itself. */
  readonly path: string;
  /** Undefined if the type of the values has no such field. */
  readonly from: Field | Schema | undefined;
  readonly to: Field | Schema;
}

/** Returns the positions at which values of `from` are not values of `to`; empty if every value fits. */
export function misfits(from: TypeIn, to: TypeIn, medium: Medium): readonly Misfit[] {
  return new Relation(from.types, to.types, medium).misfits(from.schema, to.schema, "");
}

const fits: readonly Misfit[] = [];

class Relation {
  readonly #from: TypeTable;
  readonly #to: TypeTable;
  readonly #medium: Medium;
  /** Pairs of named types that fit or are being compared: a pair that contains itself counts as fitting. */
  readonly #assumed = new Set<string>();

  constructor(from: TypeTable, to: TypeTable, medium: Medium) {
    this.#from = from;
    this.#to = to;
    this.#medium = medium;
  }

  misfits(from: Schema, to: Schema, path: string): readonly Misfit[] {
    if (from.kind === "ref" || to.kind === "ref") return this.#named(from, to, path);
    if (to.kind === "json") return this.#isJson(from) ? fits : [{ path, from, to }];
    if (from.kind === "union" || from.kind === "boolean") return this.#eachVariant(from, to, path);
    if (to.kind === "union") return this.#someVariant(from, to, path);
    if (from.kind === "never") return fits;
    return this.#structure(from, to, path) ?? (this.#isScalarOf(from, to) ? fits : [{ path, from, to }]);
  }

  #named(from: Schema, to: Schema, path: string): readonly Misfit[] {
    const fromType = from.kind === "ref" ? this.#from[from.id] : from;
    const toType = to.kind === "ref" ? this.#to[to.id] : to;
    if (fromType === undefined || toType === undefined) return [{ path, from, to }];
    const pair = JSON.stringify([from, to]);
    if (this.#assumed.has(pair)) return fits;
    this.#assumed.add(pair);
    const problems = this.misfits(fromType, toType, path);
    // Forget a pair that does not fit, so that it is compared again wherever else it occurs.
    if (problems.length > 0) this.#assumed.delete(pair);
    return problems;
  }

  #eachVariant(from: Schema & { kind: "union" | "boolean" }, to: Schema, path: string): readonly Misfit[] {
    if (from.kind === "boolean" && (to.kind === "boolean" || !hasAlternatives(to)))
      return to.kind === "boolean" ? fits : [{ path, from, to }];
    const variants = from.kind === "boolean" ? booleans : alternatives(from, (id) => this.#from[id]);
    return variants.flatMap((variant) => this.misfits(variant, to, path));
  }

  #someVariant(from: Schema, to: Schema & { kind: "union" }, path: string): readonly Misfit[] {
    const variants = alternatives(to, (id) => this.#to[id]);
    let nearest: readonly Misfit[] | undefined;
    for (const variant of variants) {
      const assumed = [...this.#assumed];
      const mismatches = this.misfits(from, variant, path);
      const fieldProblems = mismatches.length === 0 ? this.#otherFields(from, variant, to, path) : fits;
      if (mismatches.length + fieldProblems.length === 0) return fits;
      // Discard results that depend on this alternative.
      this.#assumed.clear();
      for (const pair of assumed) this.#assumed.add(pair);
      if (fieldProblems.length > 0) nearest = fieldProblems;
      else if (this.#hasTagOf(from, variant, to.tag)) nearest = mismatches;
    }
    const [only, ...more] = variants.filter(({ kind }) => kind !== "null");
    if (nearest === undefined && only !== undefined && more.length === 0) nearest = this.misfits(from, only, path);
    return nearest ?? [{ path, from, to }];
  }

  /**
   * Returns the misfits of fields that only other alternatives declare: decoders of untagged unions refuse such values.
   */
  #otherFields(from: Schema, variant: Schema, to: Schema & { kind: "union" }, path: string): readonly Misfit[] {
    if (this.#medium === "stored" || taggedVariants(to, this.#to) !== undefined) return fits;
    return this.#fieldsBeside(variant, to).flatMap(({ name, schema: allowed }) => {
      const schema = from.kind === "record" ? from.values : fieldOf(from, name)?.schema;
      return schema === undefined ? fits : this.misfits(schema, allowed, join(path, name));
    });
  }

  /** Returns the fields that other alternatives declare and `variant` does not, each with all of its types. */
  #fieldsBeside(variant: Schema, to: Schema & { kind: "union" }): readonly Pick<Field, "name" | "schema">[] {
    const own = this.#objectIn(variant);
    const variants = alternatives(to, (id) => this.#to[id]);
    if (own === undefined || variants.some(({ kind }) => kind === "json")) return [];
    const names = new Set(["__proto__", ...own.fields.map(({ name }) => name)]);
    const fields = variants
      .flatMap((each) => this.#objectIn(each)?.fields ?? [])
      .filter(({ name }) => !names.has(name));
    return [...grouped(fields, ({ name }) => name)].map(([name, same]) => {
      const [only, ...more] = same.map(({ schema }) => schema);
      const schema = more.length > 0 || only === undefined ? unionOf(same) : only;
      return { name, schema };
    });
  }

  #objectIn(schema: Schema): (Schema & { kind: "object" }) | undefined {
    const target = schema.kind === "ref" ? this.#to[schema.id] : schema;
    return target?.kind === "object" ? target : undefined;
  }

  /** True if two alternatives of tagged unions have the same tag. */
  #hasTagOf(from: Schema, to: Schema, tag: string | undefined): boolean {
    if (tag === undefined) return false;
    const literal = (schema: Schema | undefined, types: TypeTable): string => {
      const target = schema?.kind === "ref" ? types[schema.id] : schema;
      const field = target?.kind === "object" ? target.fields.find(({ name }) => name === tag) : undefined;
      return JSON.stringify(field && literalsOf(field.schema)) ?? "";
    };
    const own = literal(from, this.#from);
    return own !== "" && own === literal(to, this.#to);
  }

  /** Compares the parts of two types, such as items or fields. Returns undefined if they have no comparable parts. */
  #structure(from: Schema, to: Schema, path: string): readonly Misfit[] | undefined {
    if (from.kind === "array" && to.kind === "array") {
      if (!this.#isWithin(from, to)) return [{ path, from, to }];
      return this.misfits(from.items, to.items, `${path}[]`);
    }
    if (isList(from) && isList(to)) return this.#lists(from, to, path);
    if (from.kind === "object" && to.kind === "object") return this.#objects(from, to, path);
    if (from.kind === "record" && to.kind === "record") {
      const isKeyed = this.#medium !== "checked" || to.keys === undefined || isSame(from.keys, to.keys);
      return isKeyed ? this.misfits(from.values, to.values, `${path}[*]`) : [{ path, from, to }];
    }
    if (from.kind === "object" && to.kind === "record") {
      if (this.#medium === "checked" && to.keys !== undefined) return [{ path, from, to }];
      return from.fields.flatMap(({ name, schema }) => this.misfits(schema, to.values, join(path, name)));
    }
    if (from.kind === "record" && to.kind === "object") {
      const missing = to.fields.filter(({ optional }) => !optional);
      if (missing.length > 0)
        return missing.map((field) => ({ path: join(path, field.name), from: undefined, to: field }));
      return to.fields.flatMap(({ name, schema }) => this.misfits(from.values, schema, join(path, name)));
    }
    if (from.kind === "blob" && to.kind === "blob") {
      if (from.events === undefined || to.events === undefined)
        return from.events === to.events ? fits : [{ path, from, to }];
      return this.misfits(from.events, to.events, path);
    }
    return undefined;
  }

  #objects(from: Schema & { kind: "object" }, to: Schema & { kind: "object" }, path: string): readonly Misfit[] {
    const fields = new Map(from.fields.map((field) => [field.name, field]));
    return to.fields.flatMap((field) => {
      const at = join(path, field.name);
      const before = fields.get(field.name);
      if (before === undefined || before.schema.kind === "never")
        return field.optional ? fits : [{ path: at, from: undefined, to: field }];
      if (field.schema.kind === "never") return [{ path: at, from: before, to: field }];
      if (before.optional && !field.optional) return [{ path: at, from: before, to: field }];
      return this.misfits(before.schema, field.schema, at);
    });
  }

  /** Compares two lists, at least one of which is a tuple. */
  #lists(from: List, to: List, path: string): readonly Misfit[] {
    if (to.kind === "array" && to.limits !== undefined && this.#medium === "checked") return [{ path, from, to }];
    const [fromType, toType] = [tupleOf(from), tupleOf(to)];
    if (requiredIn(toType) > requiredIn(fromType)) return [{ path, from, to }];
    if (fromType.rest !== undefined && toType.rest === undefined) return [{ path, from, to }];
    if (toType.rest === undefined && fromType.items.length > toType.items.length) return [{ path, from, to }];
    const positions = Math.max(fromType.items.length, toType.items.length) + (fromType.rest === undefined ? 0 : 1);
    return Array.from({ length: positions }, (_, i) => {
      const [one, other] = [fromType.items[i]?.schema ?? fromType.rest, toType.items[i]?.schema ?? toType.rest];
      return one === undefined || other === undefined ? fits : this.misfits(one, other, `${path}[${i}]`);
    }).flat();
  }

  /** True if the values are JSON. Dates and bigints are JSON on the wire, but not in a store. */
  #isJson(from: Schema): boolean {
    if (from.kind === "blob" || from.kind === "void") return false;
    if (this.#medium !== "stored") return true;
    const schemas = [
      from,
      ...[...closure(refsIn(from), (id) => refsIn(this.#from[id]))].flatMap((id) => this.#from[id] ?? []),
    ];
    const isNative = (schema: Schema): boolean =>
      schema.kind === "date" || schema.kind === "int64" || partsOf(schema).some(isNative);
    return !schemas.some(isNative);
  }

  #isScalarOf(from: Schema, to: Schema): boolean {
    if (from.kind === "literal") return this.#isLiteralOf(from.value, to);
    if (from.kind === to.kind && from.kind !== "string") return this.#isWithin(from, to);
    const isStored = this.#medium === "stored";
    const isWithin = this.#isWithin(from, to);
    switch (to.kind) {
      case "string":
        if (from.kind === "date")
          return !isStored && to.pattern === undefined && (limitsOf(to) === undefined || isWithin);
        return from.kind === "string" && (to.pattern === undefined || isSame(from.pattern, to.pattern)) && isWithin;
      case "number":
        return (from.kind === "int" || (from.kind === "int64" && !isStored)) && isWithin;
      case "int":
        return from.kind === "number" && isStored;
      case "int64":
        return from.kind === "int" && !isStored;
      default:
        return false;
    }
  }

  #isLiteralOf(value: string | number | boolean, to: Schema): boolean {
    const isLimited = this.#medium === "checked" && limitsOf(to) !== undefined;
    if (isLimited && !isWithinLimits(value, limitsOf(to) ?? {})) return false;
    switch (to.kind) {
      case "literal":
        return to.value === value;
      case "string":
        return typeof value === "string" && to.pattern === undefined;
      case "number":
        return typeof value === "number";
      case "int":
        return typeof value === "number" && (this.#medium === "stored" || Number.isSafeInteger(value));
      case "int64":
        return typeof value === "number" && this.#medium !== "stored" && Number.isSafeInteger(value);
      case "boolean":
        return typeof value === "boolean";
      default:
        return false;
    }
  }

  /** True if the limits of `from` are within the limits of `to`, or if the medium does not check limits. */
  #isWithin(from: Schema, to: Schema): boolean {
    const limits = limitsOf(to);
    if (this.#medium !== "checked" || limits === undefined) return true;
    const own = limitsOf(from) ?? {};
    return (
      (limits.min === undefined || (own.min ?? -Infinity) >= limits.min) &&
      (limits.max === undefined || (own.max ?? Infinity) <= limits.max) &&
      (limits.format === undefined || own.format === limits.format) &&
      (limits.pattern === undefined || own.pattern === limits.pattern)
    );
  }
}

/** True if a literal meets the limits. Patterns are compared only as text, so no literal counts as matching one. */
function isWithinLimits(value: string | number | boolean, { pattern, ...limits }: Limits): boolean {
  return pattern === undefined && missOf(value, limits) === undefined;
}

const booleans: readonly Schema[] = [
  { kind: "literal", value: true },
  { kind: "literal", value: false },
];

function hasAlternatives({ kind }: Schema): boolean {
  return kind === "union" || kind === "literal";
}

function unionOf(fields: readonly Field[]): Schema {
  return { kind: "union", variants: fields.map(({ schema }) => schema) };
}

function fieldOf(schema: Schema, name: string): Field | undefined {
  return schema.kind === "object" ? schema.fields.find((field) => field.name === name) : undefined;
}

type List = Schema & { kind: "array" | "tuple" };
type Tuple = Omit<Schema & { kind: "tuple" }, "kind">;

function isList(schema: Schema): schema is List {
  return schema.kind === "array" || schema.kind === "tuple";
}

function tupleOf(list: List): Tuple {
  return list.kind === "array" ? { items: [], rest: list.items } : list;
}

function requiredIn({ items }: Tuple): number {
  return items.filter(({ optional }) => !optional).length;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
