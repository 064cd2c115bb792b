import { expect, test } from "vitest";
import { lineTable, spanOf } from "./position.ts";

test.each([
  ["", [0]],
  ["\n", [0, 1]],
  ["a\r\nb\rc\nd\u2028e\u2029f", [0, 3, 5, 7, 9, 11]],
  ["\r\r\n\n\r", [0, 1, 3, 4, 5]],
  ["no end\n\nof line", [0, 7, 8]],
])("lines end as in TypeScript: %j", (text, lines) => {
  expect(lineTable(text)).toEqual(lines);
});

test("a byte order mark is not a column of the first line", () => {
  const text = "\ufeffab\r\ncd";
  const module = { path: "a.ts", text, lines: lineTable(text) };
  expect(spanOf(module, { start: 1, end: 3 })).toMatchObject({ line: 1, column: 1, endLine: 1, endColumn: 3 });
  expect(spanOf(module, { start: 5, end: 7 })).toMatchObject({ line: 2, column: 1, endLine: 2, endColumn: 3 });
});
