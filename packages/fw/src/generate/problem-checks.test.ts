import { expect, test } from "vitest";
import { isStatusError } from "../declare/errors.ts";
import type { BoundField } from "../model/request-shape.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { bundled } from "./testing/decoding.ts";
import { bound, endpoint, field, request } from "./testing/models.ts";

interface Problem {
  readonly at: string;
  readonly problem: string;
}

function problemsOf(schema: Schema, value: unknown, types: TypeTable = {}): readonly Problem[] {
  const { decode } = bundled(endpoint("POST /x", "x", { request: request({ body: [field("v", schema)] }) }), types);
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

test("a 400 lists no more than 100 problems of values that each miss several limits", () => {
  const text: Schema = { kind: "string", limits: { min: 2, pattern: "[a-z]+" } };
  const schema: Schema = { kind: "tuple", items: [{ schema: { kind: "int" }, optional: false }], rest: text };
  const problems = problemsOf(schema, ["x", ...Array.from({ length: 60 }, (_, i) => String(i % 10))]);
  expect(problems).toHaveLength(100);
  expect(problems.at(-1)?.at).toBe("body v[50]");
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

test("a 400 lists every limit that a key of a record and its value miss", () => {
  const record: Schema = { kind: "record", values: { kind: "int" }, keys: { min: 2, max: 3, pattern: "[a-z]+" } };
  expect(problemsOf(record, { ab: 1, abcd: 1, "1": "x" })).toEqual([
    { at: "body v", problem: 'the key "1" must be at least 2 characters' },
    { at: "body v", problem: 'the key "1" must match [a-z]+' },
    { at: "body v", problem: 'the key "abcd" must be at most 3 characters' },
    { at: 'body v["1"]', problem: '"x" is not an int' },
  ]);
});

test("a 400 lists the only problem of a request whose only constraint is that of a record's keys", () => {
  const record: Schema = { kind: "record", values: { kind: "int" }, keys: { max: 3 } };
  expect(problemsOf(record, { abcd: 1 })).toEqual([
    { at: "body v", problem: 'the key "abcd" must be at most 3 characters' },
  ]);
});

test("a 400 lists every limit that a bound field misses, and those of the next one", () => {
  const limited = (name: string): BoundField =>
    bound("query", name, { kind: "string", limits: { min: 2, pattern: "[a-z]+" } });
  const { decode } = bundled(endpoint("GET /x", "x", { request: request({ bound: [limited("a"), limited("b")] }) }));
  const raw = { params: [], query: "a=1&b=2", body: undefined, form: undefined, fields: undefined };
  expect(() => decode(raw)).toThrow(
    expect.objectContaining({
      details: {
        problems: ["a", "b"].flatMap((name) => [
          { at: `query ${name}`, problem: expect.stringContaining("2 characters") as string },
          { at: `query ${name}`, problem: expect.stringContaining("[a-z]+") as string },
        ]),
      },
    }),
  );
});

test("a value of a recursive type that is nested too deeply is one of the problems", () => {
  const node: Schema = { kind: "ref", id: "Node" };
  const types: TypeTable = {
    Node: { kind: "object", fields: [field("n", { kind: "int" }), { ...field("next", node), optional: true }] },
  };
  const deep = Array.from({ length: 1100 }).reduce<unknown>((next) => ({ n: 1, next }), { n: 1 });
  expect(problemsOf({ kind: "array", items: node }, [{ n: "x" }, deep], types)).toEqual([
    { at: "body v[0].n", problem: '"x" is not an int' },
    { at: "body", problem: "nested too deeply" },
  ]);
});

test("a refusal of a body names the field that is wrong, or holds what is wrong, for check-data", () => {
  const { decode } = bundled(endpoint("POST /x", "x", { request: request({ body: [field("v", ints)] }) }));
  const raw = { params: [], query: "", form: undefined, fields: undefined };
  expect(() => decode({ ...raw, body: { v: [1, "x"] } })).toThrow(expect.objectContaining({ field: "v" }));
  const whole = request({ whole: { property: "v", optional: false, schema: ints } });
  const list = bundled(endpoint("POST /x", "x", { request: whole }));
  expect(() => list.decode({ ...raw, body: ["x"] })).toThrow(expect.objectContaining({ field: undefined }));
});
