import * as fc from "fast-check";
import ts from "typescript-6";
import { expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { isOfPattern } from "./pattern.ts";

const pieces = ["a", "-", "0", "1", "aa", ".", "0x"];
const patterns = fc
  .array(fc.tuple(fc.constantFrom("string", "number", "bigint"), fc.constantFrom("", ...pieces)), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((parts) =>
    fc.record({
      texts: fc.constantFrom("", ...pieces).map((first) => [first, ...parts.map(([, text]) => text)]),
      holes: fc.constant(parts.map(([hole]) => hole)),
    }),
  );
const texts = fc
  .array(fc.constantFrom(...pieces, "1e3", "-", "", "12", "é"), { maxLength: 8 })
  .map((each) => each.join(""));

const fillers = fc.array(fc.constantFrom(...pieces, "12", "-1", "x"), { minLength: 4, maxLength: 4 });
/** Pairs of a pattern and a string. Half of the strings come from the pattern. */
const patternAndText = patterns.chain((pattern) =>
  fc.tuple(
    fc.constant(pattern),
    fc.oneof(
      texts,
      fillers.map((each) => pattern.texts.map((text, i) => text + (i < pattern.holes.length ? each[i] : "")).join("")),
    ),
  ),
);

test("a text is of a pattern where TypeScript says so", () => {
  const cases = fc.sample(patternAndText, { numRuns: tries(600), seed: 7 });
  const lines = cases.map(([{ texts, holes }, value]) => {
    const type = texts.map((text, i) => text + (holes[i] === undefined ? "" : `\${${holes[i]}}`)).join("");
    return `{ const v: \`${type}\` = ${JSON.stringify(value)}; void v; }`;
  });
  const wrong = mistakenLines(lines);
  const found = cases.map(([pattern, value], i) => isOfPattern(value, pattern) !== wrong.has(i));
  expect(cases.filter((_, i) => !found[i]).map(([pattern, value]) => ({ pattern, value }))).toEqual([]);
  expect(Math.min(wrong.size, cases.length - wrong.size)).toBeGreaterThan(40);
});

test("the first and the last text of a pattern do not overlap, and only a text is of one", () => {
  const pattern = { texts: ["a", "a"], holes: ["string"] } as const;
  expect(["a", "aa", "aba", 5].map((value) => isOfPattern(value, pattern))).toEqual([false, true, true, false]);
});

test("an integer is written in any radix, without fraction or exponent", () => {
  const texts = ["1", "-12", "0x1f", "0b1", "1.5", "1e3", "01", ""];
  const isInteger = (text: string): boolean => isOfPattern(`n${text}`, { texts: ["n", ""], holes: ["bigint"] });
  expect(texts.filter(isInteger)).toEqual(["1", "-12", "0x1f", "0b1"]);
});

test("a long text takes time in proportion to its length", () => {
  const holes = Array.from({ length: 200 }, () => "string" as const);
  const pattern = { texts: [...holes.map(() => "a"), "b"], holes };
  const texts = [1, 4].map((times) => "a".repeat(250_000 * times));
  expect(texts.map((text) => isOfPattern(text, pattern))).toEqual([false, false]);
});

/** Returns the lines of a program that have TypeScript errors. */
function mistakenLines(lines: readonly string[]): ReadonlySet<number> {
  const file = ts.createSourceFile("cases.ts", lines.join("\n"), ts.ScriptTarget.ESNext);
  const host = ts.createCompilerHost({});
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, target) => (name === "cases.ts" ? file : read(name, target));
  const program = ts.createProgram(
    ["cases.ts"],
    { strict: true, noEmit: true, types: [], lib: ["lib.es5.d.ts"] },
    host,
  );
  const starts = program.getSemanticDiagnostics(file).map(({ start }) => start ?? 0);
  return new Set(starts.map((start) => file.getLineAndCharacterOfPosition(start).line));
}
