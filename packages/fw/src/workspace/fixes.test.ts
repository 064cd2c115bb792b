import { readFileSync } from "node:fs";
import { assert, integer, property, string, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import type { Diagnostic, Edit } from "../model/diagnostic.ts";
import { applyEdits, writeFixes } from "./fixes.ts";
import { files } from "./testing/files.ts";

const edit = (column: number, endColumn: number, text: string): Edit => ({
  at: { path: "a.ts", line: 1, column, endLine: 1, endColumn },
  text,
});

const diagnosticWith = (...edits: readonly Edit[]): Diagnostic => ({
  code: "fw/x",
  at: edit(1, 1, "").at,
  message: "",
  fix: { title: "", edits },
});

/** Returns `text` with the fixes applied, and the number of fixed findings. */
function textAfter(text: string, ...diagnostics: readonly Diagnostic[]): readonly [string, number] {
  using app = files({ "a.ts": text });
  const { fixed } = writeFixes(app.root, diagnostics, new Map([["a.ts", text]]));
  return [readFileSync(app.path("a.ts"), "utf8"), fixed];
}

test("of fixes that would change the same text the first is written, whole, and the others not at all", () => {
  expect(
    textAfter("abcdef", diagnosticWith(edit(2, 4, "X")), diagnosticWith(edit(3, 5, "Y"), edit(6, 7, "Z"))),
  ).toEqual(["aXdef", 1]);
  expect(textAfter("abcdef", diagnosticWith(edit(2, 4, "X")), diagnosticWith(edit(3, 3, "Y")))).toEqual(["aXdef", 1]);
  expect(textAfter("abcdef", diagnosticWith(edit(2, 4, "X")), diagnosticWith(edit(4, 5, "Y")))).toEqual(["aXYef", 2]);
});

test("fixes that want the same are both done by one, and what is inserted at one place stands there in turn", () => {
  expect(textAfter("abc", diagnosticWith(edit(2, 2, "X"), edit(3, 4, "Z")), diagnosticWith(edit(2, 2, "X")))).toEqual([
    "aXbZ",
    2,
  ]);
  expect(textAfter("abc", diagnosticWith(edit(2, 2, "X")), diagnosticWith(edit(2, 2, "Y")))).toEqual(["aXYbc", 2]);
});

test("nothing is written to a file that is no longer as it was read", () => {
  using app = files({ "a.ts": "newer" });
  expect(writeFixes(app.root, [diagnosticWith(edit(1, 2, "X"))], new Map([["a.ts", "older"]]))).toEqual({
    fixed: 0,
    files: [],
  });
  expect(readFileSync(app.path("a.ts"), "utf8")).toBe("newer");
});

test("edits that fit together come out the same in any order, and change nothing else", () => {
  const stretches = uniqueArray(integer({ min: 0, max: 40 }), { minLength: 2, maxLength: 12 });
  assert(
    property(string({ minLength: 41, maxLength: 60 }), stretches, (line, marks) => {
      const text = line.replaceAll(/[\r\n\u2028\u2029\uFEFF]/g, " ");
      const ends = marks.toSorted((a, b) => a - b);
      const edits = ends.flatMap((start, i) =>
        i % 2 === 0 && ends[i + 1] !== undefined ? [edit(start + 1, (ends[i + 1] ?? 0) + 1, `<${i}>`)] : [],
      );
      const pieces = edits.map(
        ({ at, text: inserted }, i) => text.slice((edits[i - 1]?.at.endColumn ?? 1) - 1, at.column - 1) + inserted,
      );
      const expected = pieces.join("") + text.slice((edits.at(-1)?.at.endColumn ?? 1) - 1);
      expect(applyEdits(text, edits)).toBe(expected);
      expect(applyEdits(text, edits.toReversed())).toBe(expected);
    }),
  );
});
