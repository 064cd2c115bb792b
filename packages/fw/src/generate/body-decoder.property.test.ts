import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { alternatives, limitsOf, type Field, type Schema, type TypeTable } from "../model/schema.ts";
import { taggedVariants } from "./tagged-variants.ts";
import { bodyDecoderOf } from "./testing/decoding.ts";
import { tries } from "../lib/testing/tries.ts";

const names = fc.constantFrom("a", "b", "kind", "constructor", "toString", "odd key", "0");

const { schema } = fc.letrec<{ schema: Schema; leaf: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("leaf"),
    tie("schema").map((items): Schema => ({ kind: "array", items })),
    tie("schema").map((values): Schema => ({ kind: "record", values })),
    fields(tie("schema")).map((fields): Schema => ({ kind: "object", fields })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 4 }).map((variants): Schema => ({ kind: "union", variants })),
    fc.array(fields(tie("leaf")), { minLength: 1, maxLength: 3 }).map((list): Schema => ({
      kind: "union",
      tag: "kind",
      variants: list.map((fields, i) => ({
        kind: "object",
        fields: [
          { name: "kind", schema: { kind: "literal", value: i }, optional: false },
          ...fields.filter(({ name }) => name !== "kind"),
        ],
      })),
    })),
    fc
      .tuple(fc.array(tie("schema"), { maxLength: 3 }), fc.nat(3), fc.option(tie("leaf"), { nil: undefined }))
      .map(([items, required, rest]): Schema => {
        const listed = items.map((schema, i) => ({ schema, optional: i >= required }));
        return rest === undefined ? { kind: "tuple", items: listed } : { kind: "tuple", items: listed, rest };
      }),
  ),
  leaf: fc.constantFrom<Schema>(
    { kind: "string" },
    { kind: "number" },
    { kind: "int" },
    { kind: "boolean" },
    { kind: "null" },
    { kind: "date" },
    { kind: "json" },
    { kind: "ref", id: "Tree" },
    { kind: "literal", value: "x" },
    { kind: "literal", value: 1 },
    { kind: "literal", value: true },
    { kind: "string", limits: { min: 2 } },
    { kind: "string", limits: { max: 1 } },
    { kind: "number", limits: { min: 1 } },
    { kind: "int", limits: { min: 1, max: 1 } },
    { kind: "array", items: { kind: "int", limits: { max: 1 } }, limits: { min: 1, max: 2 } },
  ),
}));

function fields(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Field[]> {
  const field = fc.record({ name: names, schema, optional: fc.boolean() });
  return fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 4 });
}

const types: TypeTable = {
  Tree: {
    kind: "union",
    variants: [
      { kind: "int" },
      {
        kind: "object",
        fields: [
          { name: "a", schema: { kind: "ref", id: "Tree" }, optional: false },
          { name: "b", schema: { kind: "string" }, optional: false },
        ],
      },
      { kind: "object", fields: [{ name: "a", schema: { kind: "ref", id: "Tree" }, optional: true }] },
    ],
  },
};

const leaves = fc.constantFrom<unknown>("x", "y", "😀", "xy", 1, 0, 2, 1.5, true, false, null, "2024-01-01T00:00:00Z");
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaves,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(names, tie("json"), { maxKeys: 4 }),
  ),
}));

/** Values that fit the schema more often than not. */
function valueOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const fitting = (): fc.Arbitrary<unknown> => {
    switch (schema.kind) {
      case "string":
        return fc.constantFrom("x", "y");
      case "date":
        return fc.constant("2024-01-01T00:00:00Z");
      case "literal":
        return fc.constant(schema.value);
      case "array":
        return fc.array(valueOf(schema.items, depth - 1), { maxLength: 3 });
      case "record":
        return fc.dictionary(names, valueOf(schema.values, depth - 1), { maxKeys: 3 });
      case "object": {
        const required = schema.fields.filter(({ optional }) => !optional).map(({ name }) => name);
        return fc.record(Object.fromEntries(schema.fields.map((f) => [f.name, valueOf(f.schema, depth - 1)])), {
          requiredKeys: required,
        });
      }
      case "union":
        return fc.oneof(...schema.variants.map((variant) => valueOf(variant, depth - 1)));
      case "tuple":
        return fc.tuple(...schema.items.map((item) => valueOf(item.schema, depth - 1)));
      case "ref":
        return valueOf(types[schema.id] ?? { kind: "null" }, depth - 1);
      default:
        return leaves;
    }
  };
  if (depth === 0) return leaves;
  return fc.oneof({ weight: 12, arbitrary: fc.constant(0).chain(fitting) }, { weight: 1, arbitrary: json });
}

test("a generated decoder accepts what fits the schema, copies what it declares, and refuses the rest", () => {
  let accepted = 0;
  let refused = 0;
  const cases = schema.chain((schema) =>
    fc.tuple(fc.constant(schema), fc.array(valueOf(schema, 5), { minLength: 3, maxLength: 8 })),
  );
  fc.assert(
    fc.property(cases, ([schema, values]) => {
      const decode = bodyDecoderOf([{ name: "v", schema, optional: false }], types);
      for (const value of values) {
        const expected = decoded(schema, value);
        const actual = decode(JSON.stringify({ v: value }));
        if (expected === undefined) {
          refused++;
          expect(actual).toMatch(
            /^body v\S*( key"\]\S*)*: (is required|.* is not an? .+|must (be|have) at (least|most) .+)$/,
          );
        } else {
          accepted++;
          expect(
            isDeepStrictEqual(actual, { v: expected }),
            `${JSON.stringify(value)} gave ${JSON.stringify(actual)}`,
          ).toBe(true);
        }
      }
    }),
    { numRuns: tries(250) },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(300);
});

/** What the schema makes of a value; undefined where it does not fit. Written for clarity alone. */
function decoded(schema: Schema, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isWithin(schema, value)) return undefined;
  switch (schema.kind) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === schema.kind ? value : undefined;
    case "int":
      return Number.isInteger(value) ? value : undefined;
    case "null":
      return value === null ? value : undefined;
    case "literal":
      return value === schema.value ? value : undefined;
    case "date":
      return typeof value === "string" && /^\d{4}-.*Z$/.test(value) ? new Date(value) : undefined;
    case "json":
      return structuredClone(value);
    case "ref":
      return decoded(types[schema.id] as Schema, value);
    case "array":
      return Array.isArray(value) ? all(value.map((item) => decoded(schema.items, item))) : undefined;
    case "record":
      return isObject
        ? allMembers(Object.entries(value).map(([name, item]) => [name, decoded(schema.values, item)]))
        : undefined;
    case "tuple": {
      if (!Array.isArray(value)) return undefined;
      if (value.length < schema.items.filter((item) => !item.optional).length) return undefined;
      if (value.length > schema.items.length && schema.rest === undefined) return undefined;
      return all(value.map((item, i) => decoded(schema.items[i]?.schema ?? (schema.rest as Schema), item)));
    }
    case "object": {
      if (!isObject) return undefined;
      const present = schema.fields.filter((field) => !field.optional || Object.hasOwn(value, field.name));
      const members = value as Record<string, unknown>;
      return allMembers(
        present.map(({ name, schema }) => [
          name,
          Object.hasOwn(members, name) ? decoded(schema, members[name]) : undefined,
        ]),
      );
    }
    case "union": {
      const variant = taggedVariants(schema, types)?.variants.get(
        (value as Record<string, number> | null)?.[schema.tag ?? ""] ?? "",
      );
      if (variant !== undefined) return decoded(variant, value);
      return decodedUnion(schema, value);
    }
    default:
      throw new Error(`no ${schema.kind} in this test`);
  }
}

/** All that variants which fit declare, where no other variant declares a field that the value has otherwise. */
function decodedUnion(schema: Schema & { kind: "union" }, value: unknown): unknown {
  const variants = alternatives(schema, (id) => types[id]);
  const results = variants.map((variant) => decoded(variant, value)).filter((result) => result !== undefined);
  if (results.length === 0) return undefined;
  const objects = variants.flatMap((variant) => {
    const target = variant.kind === "ref" ? types[variant.id] : variant;
    return target?.kind === "object" ? [target.fields] : [];
  });
  const result = results.slice(1).reduce<unknown>(both, results[0]);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  for (const [name, member] of isObject ? Object.entries(value) : []) {
    const declared = objects.flatMap((fields) => fields.filter((each) => each.name === name));
    if (declared.length === 0 || Object.hasOwn(result as object, name)) continue;
    if (!declared.some(({ schema }) => fits(schema, member))) return undefined;
  }
  return result;
}

/** What limits say, in their plainest form. */
function isWithin(schema: Schema, value: unknown): boolean {
  const { min = -Infinity, max = Infinity } = limitsOf(schema) ?? {};
  if (limitsOf(schema) === undefined) return true;
  const size =
    typeof value === "string"
      ? [...value].length
      : Array.isArray(value)
        ? value.length
        : typeof value === "number"
          ? value
          : NaN;
  return min <= size && size <= max;
}

function fits(schema: Schema, value: unknown): boolean {
  return decoded(schema, value) !== undefined;
}

/** One of two values with what only the other has: of both the one with more dates where they differ. */
function both(a: unknown, b: unknown): unknown {
  return datesOver(b, a) > datesOver(a, b) ? filled(b, a) : filled(a, b);
}

/** How many dates one value has where another has something else. */
function datesOver(a: unknown, b: unknown): number {
  if (a instanceof Date) return b === undefined || b instanceof Date ? 0 : 1;
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return 0;
  const others = new Map(Object.entries(b));
  return Object.entries(a).reduce((sum, [name, value]) => sum + datesOver(value, others.get(name)), 0);
}

function filled(a: unknown, b: unknown): unknown {
  if (a instanceof Date || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a;
  if (Array.isArray(a) && Array.isArray(b)) return a.map((item, i) => filled(item, b[i]));
  const [own, others] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const names = [...new Set([...own.keys(), ...others.keys()])];
  return Object.fromEntries(
    names.map((name) => {
      const isShared = own.has(name) && others.has(name);
      return [
        name,
        isShared ? filled(own.get(name), others.get(name)) : own.has(name) ? own.get(name) : others.get(name),
      ];
    }),
  );
}

function all(items: readonly unknown[]): unknown {
  return items.includes(undefined) ? undefined : items;
}

function allMembers(members: readonly (readonly [string, unknown])[]): unknown {
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}
