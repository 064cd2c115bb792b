import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tries } from "../testing/tries.ts";
import { matches } from "./match.ts";
import { knownPattern, patternOf } from "./pattern.ts";
import { sampleOf } from "./sample.ts";

function problemOf(source: string): string | undefined {
  const pattern = patternOf(source);
  return "problem" in pattern ? pattern.problem : undefined;
}

const isOf = (source: string, text: string): boolean => matches(text, knownPattern(source).automaton);

describe("a pattern", () => {
  test.each([
    ["[a-z0-9]+(?:-[a-z0-9]+)*", ["a", "a-b", "a1-b2-c3"], ["", "-a", "a-", "a--b", "A"]],
    ["^\\d{4}-\\d{2}$", ["2026-11"], ["2026-1", "x2026-11", "2026-11\n"]],
    ["^a|b$", ["a", "b"], ["ab", "ax", "xb"]],
    ["\\p{L}+", ["Zoë", "Łódź"], ["a1", ""]],
    [".", ["😀", "é"], ["\n", "ab"]],
    ["[^😀]", ["a"], ["😀"]],
    ["(a?){3}b{2,}", ["bb", "aabbb"], ["b", "aaaabb"]],
    ["", [""], ["a"]],
  ])("is of the whole text: %s", (source, taken, refused) => {
    expect(taken.filter((text) => !isOf(source, text))).toEqual([]);
    expect(refused.filter((text) => isOf(source, text))).toEqual([]);
  });

  test.each([
    ["[a-z-]", "[a-z\\-]"],
    ["[\\w.-]+?", "[\\w.\\-]+"],
    ["[({/|})]", "[\\(\\{\\/\\|\\}\\)]"],
    ["^a$", "a"],
  ])("is written as forms and other programs read it: %s", (source, text) => {
    expect(knownPattern(source).text).toBe(text);
    expect(knownPattern(text).text).toBe(text);
  });

  test.each([
    ["(a)\\1", "at character 4: references to groups are not supported"],
    ["a(?=b)", "at character 2: look-aheads are not supported: list the allowed strings with |"],
    ["(?<!b)a", "at character 1: look-behinds are not supported: list the allowed strings with |"],
    ["(?<year>a)", "at character 1: named groups are not supported: write (?:"],
    ["(?i:a)", "at character 1: flags of a group are not supported: write [Aa] for either case"],
    ["\\bword", "at character 1: word boundaries are not supported: write the characters themselves"],
    ["a(^b)", "at character 3: a pattern always matches the whole string: remove ^ and $"],
    ["a{2,1}", "at character 7: the smaller count of a repetition must come first"],
    ["a{1,1001}", "at character 10: it repeats more than 1000 times: write + or *, and add MaxLength"],
    ["a**", "at character 3: a repetition is repeated: put the inner one into (?: )"],
    ["*a", 'at character 1: "*" repeats nothing: write \\*'],
    ["a]", 'at character 2: "]" is not escaped: write \\]'],
    ["(a", 'at character 1: "(" is not closed'],
    ["a)", 'at character 2: ")" closes no group: write \\)'],
    ["[a", 'at character 1: "[" is not closed'],
    ["[z-a]", "at character 2: the lower end of a range must come first"],
    ["[\\d-z]", "at character 2: both ends of a range must be single characters"],
    ["[a&&b]", 'at character 3: "&&" in a class is an operator in browsers: write & once'],
    ["\\q", 'at character 1: "\\q" is not an escape: write the character without the backslash'],
    ["\\p{Nothing}", "at character 1: unknown Unicode property Nothing"],
    ["\\ud83d", "at character 1: half of a surrogate pair is not a character: write \\u{…}"],
    ["[]", "no string matches it"],
    ["(".repeat(60) + ")".repeat(60), "at character 51: groups are nested more than 50 deep"],
    ["a".repeat(1_001), "at character 1: it is longer than 1000 characters"],
  ])("that cannot be matched in one pass is told why: %s", (source, problem) => {
    expect(problemOf(source)).toBe(problem);
  });

  test.each([
    ".*x.{12}",
    "(?:a{1,100}){1,100}(?:a{1,99}){1,99}b",
    "(?:(?:[ab]*a[ab]{20})*c)*",
    "(?:.{0,1000}.{0,1000}x){9}",
  ])("that would take a large automaton is refused, soon: %s", (source) =>
    expect(problemOf(source)).toMatch(/^it takes more than 1000 states/),
  );

  test("of many choices in a row is read as soon as any other", () => {
    const choices = "(?:a|bb)".repeat(100);
    expect(isOf(`(?:(?:${choices})x|y)z`, `${"a".repeat(100)}xz`)).toBe(true);
  });

  test("has a sample", () => {
    expect(sampleOf(knownPattern("[a-z]{2,}-\\d+").automaton)).toBe("aa-1");
    expect(sampleOf(knownPattern("[a-z]+").automaton, 5)).toBe("aaaaa");
    expect(sampleOf(knownPattern("[a-z]{2}").automaton, 3)).toBeUndefined();
    expect(sampleOf(knownPattern("[a-z]{3}").automaton, 0, 2)).toBeUndefined();
  });
});

/** Expressions that take exponential or quadratic time with backtracking, and texts that trigger it. */
const explosive: readonly (readonly [source: string, text: string])[] = [
  ["(a+)+", "a".repeat(100_000) + "!"],
  ["(a|a)*", "a".repeat(100_000) + "!"],
  ["(a|aa)+", "a".repeat(100_000) + "!"],
  ["(.*a){10}", "a".repeat(100_000) + "!"],
  ["([a-zA-Z]+)*", "a".repeat(100_000) + "1"],
  ["(\\w+\\s?)*", "a ".repeat(50_000) + "!"],
  ["\\s+$|\\s+x", " ".repeat(100_000) + "!"],
  ["([a-z0-9]+[-.]?)+@([a-z0-9]+[-.]?)+", "a".repeat(100_000)],
];

test.each(explosive)(
  "a text of 100,000 characters takes one step for each, whatever the pattern: %s",
  (source, text) => {
    expect(isOf(source, text)).toBe(false);
  },
);

const characters = ["a", "b", "A", "1", "-", ".", "é", "😀", "\n", "^", "]"];
const atom = fc.constantFrom(
  "a",
  "b",
  "A",
  "1",
  "-",
  "\\.",
  ".",
  "\\d",
  "\\W",
  "\\s",
  "[ab]",
  "[^a]",
  "[a-c-]",
  "[\\d.]",
  "😀",
  "[é😀]",
  "\\n",
  "\\u{61}",
  "\\^",
);
const counts = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0,2}?");
const expressions = fc.letrec<{ choice: string; part: string }>((tie) => ({
  choice: fc
    .array(
      fc.array(tie("part"), { maxLength: 2 }).map((parts) => parts.join("")),
      { minLength: 1, maxLength: 2 },
    )
    .map((each) => each.join("|")),
  part: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2 },
        atom,
        tie("choice").map((inner) => `(?:${inner})`),
        tie("choice").map((inner) => `(${inner})`),
      ),
      counts,
    )
    .map(([part, count]) => part + count),
})).choice;
const texts = fc.array(fc.constantFrom(...characters), { maxLength: 6 }).map((each) => each.join(""));

/**
 * The flags that this JavaScript engine implements correctly: with the `v` flag, V8 in Node 20 negates a class in a
 * repeated group twice.
 */
const flags = new RegExp("^(?:[^a]a)+$", "v").test("ba") ? ["u", "v"] : ["u"];

test("a text is of a pattern where JavaScript's own expressions say so, as both read it and as it is written on", () => {
  let matchCount = 0;
  fc.assert(
    fc.property(expressions, fc.array(texts, { minLength: 5, maxLength: 5 }), (source, samples) => {
      const pattern = patternOf(source);
      if ("problem" in pattern) {
        expect(pattern.problem).toMatch(/^it takes more than|^no text/);
        return;
      }
      const sample = sampleOf(pattern.automaton, 0, 6);
      for (const text of [...samples, ...(sample === undefined ? [] : [sample])]) {
        const expected = new RegExp(`^(?:${source})$`, "u").test(text);
        matchCount += Number(expected);
        expect([source, text, matches(text, pattern.automaton)]).toEqual([source, text, expected]);
        for (const flag of flags)
          expect([pattern.text, flag, text, new RegExp(`^(?:${pattern.text})$`, flag).test(text)]).toEqual([
            pattern.text,
            flag,
            text,
            expected,
          ]);
      }
    }),
    { numRuns: tries(200) },
  );
  expect(matchCount).toBeGreaterThan(50);
});

test("what is said to be a pattern is one to JavaScript, whatever is given", () => {
  const pieces = fc.constantFrom(
    ..."ab-^$\\.*+?()[]{}|/,:=!<>0123&&udwpk😀\n",
    "(?",
    "\\p{",
    "[^",
    "--",
    "{1,",
    "\\u{",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (each) => {
      const source = each.join("");
      const pattern = patternOf(source);
      if ("problem" in pattern) return;
      for (const flag of ["u", "v"]) expect(() => new RegExp(`^(?:${pattern.text})$`, flag)).not.toThrow();
      expect(() => new RegExp(`^(?:${source})$`, "u")).not.toThrow();
    }),
    { numRuns: tries(500) },
  );
});
