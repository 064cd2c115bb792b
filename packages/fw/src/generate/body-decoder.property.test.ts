import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { alternatives, limitsOf, type Schema } from "../model/schema.ts";
import { taggedVariants } from "../model/tagged-variants.ts";
import { bodyDecoderOf } from "./testing/decoding.ts";
import { schema, types, valueOf } from "./testing/random-schemas.ts";
import { tries } from "../lib/testing/tries.ts";

test("a generated decoder accepts what fits the schema, copies what it declares, and refuses the rest", () => {
  let accepted = 0;
  let rejections = 0;
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
          rejections++;
          expect(actual).toMatch(
            /^body v\S*( key"\]\S*)*: (is required|.* is not an? .+|must (be|have) at (least|most) .+|must match .+)$/,
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
  expect(Math.min(accepted, rejections)).toBeGreaterThan(300);
});

/** Decodes a value by its schema, or returns undefined if it does not match. Written for clarity, not speed. */
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

/**
 * Merges the results of all matching variants. Undefined if none matches, or if a field that only other variants
 * declare fits none of them.
 */
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

/** Checks limits in the simplest way. */
function isWithin(schema: Schema, value: unknown): boolean {
  const { min = -Infinity, max = Infinity, pattern } = limitsOf(schema) ?? {};
  if (limitsOf(schema) === undefined) return true;
  if (pattern !== undefined && typeof value === "string" && !new RegExp(`^(?:${pattern})$`, "u").test(value))
    return false;
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

/** Merges the fields of two values. Where they differ, the value with more dates wins. */
function both(a: unknown, b: unknown): unknown {
  return datesOver(b, a) > datesOver(a, b) ? filled(b, a) : filled(a, b);
}

/** Counts the dates in one value where the other has something else. */
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
