import { expect, test } from "vitest";
import { diagnosticProblem } from "./problems.ts";

const source = "const a = 1;\nconst total: string = add(a,\n  2);\nconst b = 3;";

test("a problem underlines its whole expression, and its place opens in the editor", () => {
  const at = { path: "shop/shop.ts", line: 1, column: 11, endLine: 1, endColumn: 12 };
  const { frame, href } = diagnosticProblem({ code: "x", message: "no", at }, "/app", () => source);
  expect(frame?.split("\n").slice(0, 2)).toEqual(["1 | const a = 1;", "  |           ^"]);
  expect(href).toContain("/app/shop/shop.ts");
});

test("an expression of several lines is underlined to the end of the first", () => {
  const at = { path: "shop/shop.ts", line: 2, column: 23, endLine: 3, endColumn: 5 };
  const { frame = "" } = diagnosticProblem({ code: "x", message: "no", at }, "/app", () => source);
  expect(frame.split("\n")[2]).toBe(`  | ${" ".repeat(22)}^^^^^^`);
});
