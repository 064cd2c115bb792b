import { expect, test } from "vitest";
import { indentJSON } from "./indent-json.ts";

test("indented JSON is that of JSON.stringify, with exact numbers", () => {
  const value = { a: [1, { b: 'x,{"[:]}', c: [] }], d: {}, e: null };
  expect(indentJSON(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
  expect(indentJSON('{"id":9007199254740993}')).toBe('{\n  "id": 9007199254740993\n}');
});
