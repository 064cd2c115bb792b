import { expect, test } from "vitest";
import { isRecord } from "../../lib/record-in.ts";
import { isJSON } from "./stored.ts";

test("a record is an object with members: no null, list, date or scalar", () => {
  expect([{}, { a: 1 }, Object.create(null)].map(isRecord)).toEqual([true, true, true]);
  expect([null, undefined, [], [1], new Date(0), "x", 1, true, 1n].filter(isRecord)).toEqual([]);
});

test("JSON has no dates, bigints and functions, at any depth", () => {
  const values = ["x", "", 1, 0, true, false, null, [], [1, [null]], {}, { a: { b: ["x"] } }, { a: undefined }];
  expect(values.filter((value) => !isJSON(value))).toEqual([]);
  const others = [undefined, 1n, new Date(0), () => 1, Symbol("x")];
  expect(others.filter(isJSON)).toEqual([]);
  for (const other of others) expect([[other], { a: 1, b: [other] }].filter(isJSON)).toEqual([]);
  expect(isJSON({ a: { b: 1n }, c: undefined })).toBe(false);
});
