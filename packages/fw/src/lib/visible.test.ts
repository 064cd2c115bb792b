import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "./testing/code-point.ts";
import { visible } from "./visible.ts";

describe("visible", () => {
  test.each([
    ["a\u001b[31mred", "a\\u{1b}[31mred"],
    ["two\nlines\r", "two\\nlines\\r"],
    ["tab\t nul\0", "tab\\t nul\\0"],
    ["\u202egnp.exe", "\\u{202e}gnp.exe"],
    ["zero\u200bwidth", "zero\\u{200b}width"],
    ["\ud800 alone", "\\u{d800} alone"],
    ["c1 \u009b", "c1 \\u{9b}"],
    ["line\u2028separator", "line\\u{2028}separator"],
  ])("%j is shown as %s", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test.each(["plain", "Grüße", "日本語", "עברית", "👩‍👩‍👧", 'naïve {x} \\ "q"'])("%s is left alone", (text) => {
    expect(visible(text)).toBe(text);
  });

  test("never lets a control character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 12 }), (text) => {
        // oxlint-disable-next-line no-control-regex
        expect(visible(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
      }),
    );
  });
});
