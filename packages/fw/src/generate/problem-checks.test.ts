import { expect, test } from "vitest";
import { isStatusError } from "../declare/errors.ts";
import type { Schema } from "../model/schema.ts";
import { bundled } from "./testing/decoding.ts";
import { endpoint, field, request } from "./testing/models.ts";

interface Problem {
  readonly at: string;
  readonly problem: string;
}

function problemsOf(schema: Schema, value: unknown): readonly Problem[] {
  const { decode } = bundled(endpoint("POST /x", "x", { request: request({ body: [field("v", schema)] }) }));
  try {
    decode({ params: [], query: "", body: { v: value }, form: undefined, fields: undefined });
    return [];
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return (error.details as { readonly problems: readonly Problem[] }).problems;
  }
}

const ints: Schema = { kind: "array", items: { kind: "int" } };

test("a 400 lists exactly 100 problems at most, the first ones", () => {
  const texts = (count: number): readonly string[] => Array.from({ length: count }, () => "x");
  expect([100, 101, 5000].map((count) => problemsOf(ints, texts(count)).length)).toEqual([100, 100, 100]);
  expect(problemsOf(ints, texts(101)).at(-1)).toEqual({ at: "body v[99]", problem: '"x" is not an int' });
});

test("a 400 lists problems until they have 16,384 characters", () => {
  const record: Schema = { kind: "record", values: { kind: "int" } };
  const paths = 8;
  const nested = Array.from({ length: paths }).reduce<Schema>((values) => ({ kind: "record", values }), record);
  const value = Array.from({ length: paths }).reduce<unknown>(
    (inner) => ({ ["k k".repeat(20)]: inner }),
    Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`${i} ${"y y".repeat(20)}`, "x"])),
  );
  const problems = problemsOf(nested, value);
  const lengths = problems.map(({ at, problem }) => `${at}: ${problem}`.length);
  const sum = lengths.reduce((total, length) => total + length, 0);
  expect(problems.length).toBeLessThan(90);
  expect(sum).toBeGreaterThanOrEqual(16_384);
  expect(sum - Math.max(...lengths)).toBeLessThan(16_384);
});

test("a problem at a key with a colon has its whole place", () => {
  const record: Schema = { kind: "record", values: { kind: "int" } };
  expect(problemsOf(record, { "a: b": "x", c: "y" })).toEqual([
    { at: 'body v["a: b"]', problem: '"x" is not an int' },
    { at: "body v.c", problem: '"y" is not an int' },
  ]);
});
