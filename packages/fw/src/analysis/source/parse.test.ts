import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../lib/testing/code-point.ts";
import { parseModule } from "./parse.ts";

describe("a file is parsed, or it says why not", () => {
  test.each([
    ["parentheses", `export const a = ${"(".repeat(100_000)}1${")".repeat(100_000)};`],
    ["types", `type A = ${"{ a: ".repeat(50_000)}1${"}".repeat(50_000)};`],
    ["templates", `const a = ${"`${".repeat(50_000)}1${"}`".repeat(50_000)};`],
    ["arrows", `const a = ${"()=>".repeat(100_000)}1;`],
    ["type arguments", `type A = ${"A<".repeat(50_000)}1${">".repeat(50_000)};`],
    ["functions", `const a = ${"()=>{".repeat(50_000)}${"}".repeat(50_000)};`],
    ["operators", `const a = ${"1+".repeat(200_000)}1;`],
  ])("%s nested beyond reason take nothing down", (_, text) => {
    const { syntaxErrors, program } = parseModule("a.ts", text);
    expect(syntaxErrors.length === 0 ? program.body.length : syntaxErrors[0]?.message).toBeTruthy();
  });

  test.each(["[", "(", "{", "<", "`${"])("3,000 open %s are a syntax error within a second of CPU time", (bracket) => {
    const before = process.cpuUsage();
    const { syntaxErrors } = parseModule("a.ts", `export const a = ${bracket.repeat(3_000)}`);
    const { user, system } = process.cpuUsage(before);
    expect(syntaxErrors).toHaveLength(1);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  test("a long text in a string is no nesting", () => {
    const { syntaxErrors, exports } = parseModule("a.ts", `export const a = "${"(".repeat(50_000)}";`);
    expect(syntaxErrors).toEqual([]);
    expect([...exports.keys()]).toEqual(["a"]);
  });

  test("any text has a module, with positions inside of it", () => {
    const piece = fc.constantFrom(
      "import ",
      "export ",
      "const ",
      "a",
      "{",
      "}",
      "(",
      ")",
      '"',
      "`",
      "${",
      ";",
      "\n",
      "=>",
      "enum ",
      "😀",
      "\ufeff",
      "@",
      "<",
      ">",
      "/*",
    );
    const texts = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom("a.ts", "a.tsx", "a.mts", "a.d.ts"), (text, path) => {
        const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
        for (const { at } of parseModule(path, text).syntaxErrors) {
          expect(at.column).toBeGreaterThan(0);
          expect(at.column).toBeLessThanOrEqual((lines[at.line - 1]?.length ?? -1) + 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
