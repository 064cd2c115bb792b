import { expect, test } from "vitest";
import type { Diagnostic } from "../model/diagnostic.ts";
import { withoutConsequences } from "./root-causes.ts";

function finding(code: string, line: number, message: string = code): Diagnostic {
  return { code, at: { path: "a/a.ts", line, column: 1, endLine: line, endColumn: 2 }, message };
}

const missing = finding("ts2307", 1, "Cannot find module 'fw' or its corresponding type declarations");
const others = [finding("fw/wire-type", 2), finding("ts7006", 3)];

test("where fw is not installed, that is the one problem", () => {
  expect(withoutConsequences([missing, ...others, { ...missing, at: finding("", 9).at }], true)).toEqual([
    {
      ...missing,
      code: "import",
      message: expect.stringMatching(/^"fw" is not installed/) as string,
      hint: expect.any(String) as string,
    },
  ]);
});

test("modules that are no ES modules are one problem, in fw's words", () => {
  const diagnostics = [finding("ts2304", 1), finding("ts1295", 2), finding("ts1287", 3), finding("ts7006", 4)];
  expect(withoutConsequences(diagnostics, false).map(({ code, at, hint }) => [code, at.line, hint])).toEqual([
    ["ts2304", 1, undefined],
    ["import", 2, 'add "type": "module" to package.json'],
    ["ts7006", 4, undefined],
  ]);
  expect(withoutConsequences(diagnostics, true)).toEqual(diagnostics);
  expect(withoutConsequences(others, false)).toEqual(others);
});

test("a type that fw cannot read because TypeScript reports an error is no second problem", () => {
  const unread = finding("fw/wire-type", 4, "TypeScript cannot resolve this type");
  expect(withoutConsequences([finding("ts2304", 1), unread], true)).toEqual([finding("ts2304", 1)]);
  expect(withoutConsequences([unread], true)).toEqual([unread]);
});
