import { expect, test } from "vitest";
import { cells } from "./width.ts";

test("printable ASCII characters are cells like those of other texts", () => {
  const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("");
  const own = [...cells(ascii)];
  expect(own.map(({ text }) => text).join("")).toBe(ascii);
  expect([...cells(`${ascii}é`)].slice(0, own.length)).toEqual(own);
});

test("wide characters and combined ones are one cell each", () => {
  expect([...cells("a語e\u0301👩‍💻")].map(({ index, width }) => [index, width])).toEqual([
    [0, 1],
    [1, 2],
    [2, 1],
    [4, 2],
  ]);
});
