import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { wantsColour } from "./colour.ts";
import { stillRuns } from "./still-runs.ts";
import { printLine, printText } from "./text.ts";

const finding: Diagnostic = {
  code: "fw/const-route",
  at: { path: "shop/orders.ts", line: 3, column: 27, endLine: 3, endColumn: 32 },
  message: "the route is not a string constant",
  hint: 'write it as a literal, such as "GET /orders"',
};

const orders = ['import { API } from "fw";', "", "export const orders = API(route, list);", ""].join("\n");

function print(diagnostics: readonly Diagnostic[], source: string | undefined = orders, colour = false): string {
  return printText(diagnostics, { colour, source: () => source });
}

/** Returns the two lines of the code frame for a finding on line 1 of the source text `line`. */
function frameOf(line: string, column: number, endColumn: number, endLine = 1): string[] {
  const at = { path: "a.ts", line: 1, column, endLine, endColumn };
  return print([{ code: "fw/x", at, message: "m" }], line)
    .split("\n")
    .slice(1, 3);
}

describe("diagnostics at a terminal", () => {
  test("read path:line:col: message (fw/<rule-id>), with the code and a hint", () => {
    expect(print([finding])).toBe(
      [
        "shop/orders.ts:3:27: the route is not a string constant (fw/const-route)",
        "  3 | export const orders = API(route, list);",
        "    |                           ^^^^^",
        '  hint: write it as a literal, such as "GET /orders"',
        "",
        "1 error in 1 file",
        "",
      ].join("\n"),
    );
  });

  test("name the other places that explain them", () => {
    const related = [
      { at: { path: "shop/a.ts", line: 1, column: 2, endLine: 1, endColumn: 3 }, message: "the other route" },
    ];
    expect(print([{ ...finding, related }])).toContain("\n  shop/a.ts:1:2: the other route\n");
  });

  test("are counted, files too", () => {
    const other = { ...finding, at: { ...finding.at, path: "b.ts" } };
    expect(print([finding, finding, other])).toMatch(/\n\n3 errors in 2 files\n$/);
  });

  test("nothing found prints nothing", () => {
    expect(print([])).toBe("");
  });

  test("go without a frame where the source is gone or shorter than it was", () => {
    for (const source of [undefined, "one line"]) {
      expect(printText([finding], { colour: false, source: () => source })).not.toContain("|");
    }
  });

  test("keep to the single line of the specification for logs", () => {
    expect(printLine(finding)).toBe("shop/orders.ts:3:27: the route is not a string constant (fw/const-route)");
  });
});

describe("a code frame", () => {
  test("expands tabs, so that the underline stands under its text", () => {
    expect(frameOf("\tx\ty", 4, 5)).toEqual(["  1 |     x   y", "    |         ^"]);
  });

  test("counts wide characters and emoji as two columns", () => {
    expect(frameOf('"日本👩‍👩‍👧" bad', 14, 17)).toEqual(['  1 | "日本👩‍👩‍👧" bad', "    |          ^^^"]);
  });

  test("counts combining marks as none", () => {
    expect(frameOf("e\u0301 bad", 4, 7)).toEqual(["  1 | e\u0301 bad", "    |   ^^^"]);
  });

  test("shows control and bidirectional characters instead of obeying them", () => {
    expect(frameOf('"\u001b[31m\u202e" bad', 10, 13)).toEqual([
      '  1 | "\\u{1b}[31m\\u{202e}" bad',
      "    |                      ^^^",
    ]);
  });

  test("of several lines underlines the first to its end", () => {
    expect(frameOf("abc", 2, 9, 3)).toEqual(["  1 | abc", "    |  ^^"]);
  });

  test("shows only the surroundings on a very long line", () => {
    const [text = "", marks = ""] = frameOf(`${"a".repeat(500_000)}BAD${"c".repeat(500_000)}`, 500_001, 500_004);
    expect(text.length).toBeLessThan(230);
    expect(text.slice(marks.indexOf("^"), marks.lastIndexOf("^") + 1)).toBe("BAD");
  });

  test("never cuts a character in two", () => {
    const [text = ""] = frameOf("👍".repeat(400), 402, 403);
    expect(text).not.toMatch(/\p{Cs}/u);
  });

  test.each([
    [1, 1],
    [4, 4],
    [99, 120],
  ])("marks one place even where the span %d-%d is empty or outside the line", (column, endColumn) => {
    expect(frameOf("abc", column, endColumn)[1]).toMatch(/\^$/);
  });
});

describe("colour", () => {
  test.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: "" }, true],
    [{ isTTY: true }, { NO_COLOR: "1" }, false],
    [{ isTTY: true }, { TERM: "dumb" }, false],
    [{ isTTY: false }, {}, false],
    [{}, {}, false],
  ])("on %j with %j: %s", (stream, env, wanted) => {
    expect(wantsColour(stream, env)).toBe(wanted);
  });

  test("changes nothing but escape sequences", () => {
    // oxlint-disable-next-line no-control-regex
    expect(print([finding], orders, true).replace(/\u001b\[\d+m/g, "")).toBe(print([finding]));
  });
});

test("an application that keeps running has type errors or only warnings", () => {
  const warning: Diagnostic = { ...finding, severity: "warning" };
  expect(stillRuns([warning])).toBe("Warnings do not stop the application from running.");
  expect(stillRuns([warning, finding])).toBe("Type errors do not stop the application from running.");
});
