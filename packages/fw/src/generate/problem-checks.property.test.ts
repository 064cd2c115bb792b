import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isStatusError } from "../declare/errors.ts";
import { tries } from "../lib/testing/tries.ts";
import { alternatives, limitsOf, type Schema } from "../model/schema.ts";
import { parseJSON } from "../runtime/body/json.ts";
import { taggedVariants } from "../model/tagged-variants.ts";
import { bundled } from "./testing/decoding.ts";
import { endpoint, request } from "./testing/models.ts";
import { valueOf, schema, types } from "./testing/random-schemas.ts";

interface Problem {
  readonly at: string;
  readonly problem: string;
}

interface Expected {
  readonly at: string;
  readonly problem: RegExp;
  /** True for some unions: the problem is at the value or somewhere inside it. */
  readonly isWithin?: boolean;
}

test("a 400 lists the problems of nested objects, lists, records, tuples and tagged unions that a plain validator finds", () => {
  let severalProblems = 0;
  const cases = schema.chain((schema) =>
    fc.tuple(fc.constant(schema), fc.array(valueOf(schema, 5, true), { minLength: 4, maxLength: 8 })),
  );
  fc.assert(
    fc.property(cases, fc.boolean(), ([schema, values], isWhole) => {
      const shape = isWhole
        ? { whole: { property: "v", optional: false, schema } }
        : { body: [{ name: "v", schema, optional: false }] };
      const bundledEndpoint = bundled(endpoint("POST /x", "x", { request: request(shape) }), types);
      for (const value of values) {
        const body = parseJSON(
          Buffer.from(JSON.stringify(isWhole ? value : { v: value })),
          bundledEndpoint.exactIntegers,
        );
        const { error, problems } = refusalOf(() =>
          bundledEndpoint.decode({ params: [], query: "", body, form: undefined, fields: undefined }),
        );
        const expected = problemsOf(schema, value, isWhole ? "body" : "body v").slice(0, 100);
        const label = `${JSON.stringify(schema)} of ${JSON.stringify(value)}: ${JSON.stringify(problems)}`;
        if (expected.length > 1) severalProblems++;
        expect(problems.length, label).toBe(expected.length);
        for (const each of expected)
          expect(
            problems.filter((problem) => isExpected(problem, each)),
            `${String(each.problem)} at ${each.at} in ${label}`,
          ).toHaveLength(1);
        if (problems.length > 0) expect(problems.map(({ at, problem }) => `${at}: ${problem}`)[0], label).toBe(error);
      }
    }),
    { numRuns: tries(300), seed: 26 },
  );
  expect(severalProblems).toBeGreaterThan(300);
});

function refusalOf(decode: () => unknown): { readonly error?: string; readonly problems: readonly Problem[] } {
  try {
    decode();
    return { problems: [] };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const colon = error.message.indexOf(": ");
    const first = { at: error.message.slice(0, colon), problem: error.message.slice(colon + 2) };
    const details = error.details as { readonly problems: readonly Problem[] } | undefined;
    return { error: error.message, problems: details?.problems ?? [first] };
  }
}

function isExpected({ at, problem }: Problem, expected: Expected): boolean {
  const isThere = at === expected.at || (expected.isWithin === true && at.startsWith(expected.at));
  return isThere && expected.problem.test(problem);
}

/** Lists the problems of a value. Written for clarity only. */
function problemsOf(schema: Schema, value: unknown, at: string): readonly Expected[] {
  if (schema.kind === "ref") return problemsOf(types[schema.id] as Schema, value, at);
  if (schema.kind === "union") return unionProblems(schema, value, at);
  if (value === undefined) return [{ at, problem: /^is required$/ }];
  if (!isOfKind(schema, value)) return [{ at, problem: /is not an? / }];
  const misses = missesOf(schema, value).map((problem) => ({ at, problem }));
  return [...misses, ...partProblems(schema, value, at)];
}

function partProblems(schema: Schema, value: unknown, at: string): readonly Expected[] {
  switch (schema.kind) {
    case "array":
      return (value as unknown[]).flatMap((item, i) => problemsOf(schema.items, item, `${at}${step(at, i)}`));
    case "tuple": {
      const items = value as unknown[];
      const length = Math.max(items.length, schema.items.filter(({ optional }) => !optional).length);
      return Array.from({ length }, (_, i) => i).flatMap((i) =>
        problemsOf(schema.items[i]?.schema ?? (schema.rest as Schema), items[i], `${at}${step(at, i)}`),
      );
    }
    case "record":
      return Object.entries(value as object).flatMap(([name, member]) =>
        problemsOf(schema.values, member, `${at}${step(at, name)}`),
      );
    case "object":
      return schema.fields.flatMap((field) => {
        const member = new Map(Object.entries(value as object)).get(field.name) as unknown;
        const isAbsent = member === undefined && field.optional;
        return isAbsent ? [] : problemsOf(field.schema, member, `${at}${step(at, field.name)}`);
      });
    default:
      return [];
  }
}

function unionProblems(schema: Extract<Schema, { kind: "union" }>, value: unknown, at: string): readonly Expected[] {
  const isList = Array.isArray(value);
  const isObject = typeof value === "object" && value !== null && !isList;
  const tagged = taggedVariants(schema, types);
  const tag = isObject && tagged !== undefined ? new Map(Object.entries(value)).get(tagged.tag) : undefined;
  const variant = tagged?.variants.get(tag as string);
  if (variant !== undefined) return problemsOf(variant, value, at);
  const variants = alternatives(schema, (id) => types[id]);
  const kindOf = (variant: Schema): string => (variant.kind === "ref" ? types[variant.id] : variant)?.kind ?? "";
  const only = (...kinds: readonly string[]): Schema | undefined => {
    const able = variants.filter((each) => [...kinds, "json"].includes(kindOf(each)));
    return able.length === 1 && able[0]?.kind !== "json" && able[0]?.kind !== "tuple" ? able[0] : undefined;
  };
  const one = isObject ? only("object", "record") : isList ? only("array", "tuple") : undefined;
  if (one !== undefined && tagged === undefined) return problemsOf(one, value, at);
  if (fits(schema, value)) return [];
  return [{ at, problem: /./, isWithin: true }];
}

function fits(schema: Schema, value: unknown): boolean {
  const bundledEndpoint = bundled(
    endpoint("POST /x", "x", { request: request({ body: [{ name: "v", schema, optional: false }] }) }),
    types,
  );
  const body = parseJSON(Buffer.from(JSON.stringify({ v: value })), bundledEndpoint.exactIntegers);
  try {
    bundledEndpoint.decode({ params: [], query: "", body, form: undefined, fields: undefined });
    return true;
  } catch {
    return false;
  }
}

function isOfKind(schema: Schema, value: unknown): boolean {
  switch (schema.kind) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === schema.kind;
    case "int":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "literal":
      return value === schema.value;
    case "date":
      return typeof value === "string" && /^\d{4}-.*Z$/.test(value);
    case "array":
      return Array.isArray(value);
    case "tuple":
      return Array.isArray(value) && (schema.rest !== undefined || value.length <= schema.items.length);
    case "record":
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "json":
      return true;
    default:
      throw new Error(`no ${schema.kind} in this test`);
  }
}

function missesOf(schema: Schema, value: unknown): readonly RegExp[] {
  const limits = limitsOf(schema);
  if (limits === undefined) return [];
  const { min = -Infinity, max = Infinity, pattern } = limits;
  const [size, unit] =
    typeof value === "string"
      ? [[...value].length, "character"]
      : Array.isArray(value)
        ? [value.length, "item"]
        : [value as number, ""];
  return [
    ...(size < min ? [new RegExp(`at least ${min}.*${unit}`)] : []),
    ...(size > max ? [new RegExp(`at most ${max}.*${unit}`)] : []),
    ...(pattern !== undefined && !new RegExp(`^(?:${pattern})$`, "u").test(value as string) ? [/^must match /] : []),
  ];
}

function step(at: string, key: string | number): string {
  const label = typeof key === "number" ? `[${key}]` : /^[A-Za-z]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return at === "body" ? ` ${label.replace(/^\./, "")}` : label;
}
