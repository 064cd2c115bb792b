import { closure } from "../lib/closure.ts";
import type { Limits } from "../lib/limited.ts";

/** The types that values can have on the wire, as read from TypeScript. Plain JSON; fields are in source order. */
export type Schema =
  | { readonly kind: "string"; readonly pattern?: TextPattern; readonly limits?: Limits }
  /** `number`: any finite double. */
  | { readonly kind: "number"; readonly limits?: Limits }
  /** `Int`: a safe integer. */
  | { readonly kind: "int"; readonly limits?: Limits }
  /** `Int64`: a 64-bit bigint, which is a JSON number on the wire. */
  | { readonly kind: "int64" }
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  /** `Date`: an RFC 3339 string on the wire. */
  | { readonly kind: "date" }
  /** `Json`: any JSON value, passed unchanged. */
  | { readonly kind: "json" }
  /**
   * `Blob`: a stream with a content type, allowed only as a form field of a request or as a whole response. `events` is
   * the data type of typed events.
   */
  | { readonly kind: "blob"; readonly events?: Schema }
  /** `void` or `undefined`: an empty response (a 204), or a job without arguments. */
  | { readonly kind: "void" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  /** `field?: never`: a field that must be absent. */
  | { readonly kind: "never" }
  | { readonly kind: "array"; readonly items: Schema; readonly limits?: Limits }
  | { readonly kind: "tuple"; readonly items: readonly TupleItem[]; readonly rest?: Schema }
  /** A string-keyed map. `keys` limits its keys. */
  | { readonly kind: "record"; readonly values: Schema; readonly keys?: Limits }
  | { readonly kind: "object"; readonly fields: readonly Field[] }
  /** `tag` is the literal property that distinguishes object variants, if there is one. */
  | { readonly kind: "union"; readonly variants: readonly Schema[]; readonly tag?: string }
  /** A named or recursive type, stored once in `App.types`. */
  | { readonly kind: "ref"; readonly id: string };

/** A template literal type: the strings in `texts`, with values of the types in `holes` between them. */
export interface TextPattern {
  readonly texts: readonly string[];
  readonly holes: readonly ("string" | "number" | "bigint")[];
}

/** Formats a pattern as a template literal type. */
export function patternText({ texts, holes }: TextPattern): string {
  return `\`${texts.map((text, i) => text + (holes[i] === undefined ? "" : `\${${holes[i]}}`)).join("")}\``;
}

export interface TupleItem {
  readonly schema: Schema;
  readonly optional: boolean;
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly optional: boolean;
  /** Its doc comment; absent if it has none. */
  readonly doc?: string;
}

/**
 * `App.types`: maps ids (`<path>#<name>`, plus type arguments if generic) to schemas, which are never a `ref`
 * themselves.
 */
export type TypeTable = Readonly<Record<string, Schema>>;

/** Returns the schemas directly inside a schema, in source order; does not follow a `ref`. */
export function partsOf(schema: Schema): readonly Schema[] {
  switch (schema.kind) {
    case "array":
      return [schema.items];
    case "tuple":
      return [...schema.items.map((item) => item.schema), ...(schema.rest === undefined ? [] : [schema.rest])];
    case "record":
      return [schema.values];
    case "blob":
      return schema.events === undefined ? [] : [schema.events];
    case "object":
      return schema.fields.map((field) => field.schema);
    case "union":
      return schema.variants;
    default:
      return [];
  }
}

/** Returns the ids that a schema refers to directly; none if there is no schema. */
export function refsIn(root: Schema | undefined): readonly string[] {
  const ids: string[] = [];
  const waiting: Schema[] = root === undefined ? [] : [root];
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    if (schema.kind === "ref") ids.push(schema.id);
    else waiting.push(...partsOf(schema));
  }
  return ids;
}

/** Returns the ids of all named types in a schema, including nested ones. */
export function reachable(schema: Schema | undefined, types: TypeTable): ReadonlySet<string> {
  return closure(refsIn(schema), (id) => refsIn(types[id]));
}

/** Returns the variants of a union, with unions inside it and behind refs flattened. */
export function alternatives(
  union: Extract<Schema, { kind: "union" }>,
  resolveRef: (id: string) => Schema | undefined,
): readonly Schema[] {
  const visited = new Set<string>();
  const open = (schema: Schema): readonly Schema[] => {
    const target = schema.kind === "ref" ? resolveRef(schema.id) : schema;
    if (target?.kind !== "union") return [schema];
    if (schema.kind === "ref" && visited.size === visited.add(schema.id).size) return [];
    return target.variants.flatMap(open);
  };
  return union.variants.flatMap(open);
}

/** Returns the values of a literal or a union of literals; undefined for any other type. */
export function literalsOf(schema: Schema): readonly (string | number | boolean)[] | undefined {
  if (schema.kind === "literal") return [schema.value];
  if (schema.kind !== "union") return undefined;
  const values = schema.variants.map(literalsOf);
  return values.includes(undefined) ? undefined : values.flatMap((value) => value ?? []);
}

/** Returns the constraints on a schema's values; undefined if there are none. */
export function limitsOf(schema: Schema): Limits | undefined {
  return "limits" in schema ? schema.limits : undefined;
}
