import { describe, expect, test } from "vitest";
import { processorMs } from "../../lib/testing/processor-time.ts";
import { parseForm } from "../body/form.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { jsonDepth } from "../../lib/limits.ts";
import { bodyJSON, bodyNumber } from "./body.ts";
import { toNumber } from "./scalars.ts";

/** Measures how long the fastest of several runs blocks the event loop, in milliseconds. Runs may throw. */
function longestBlock(run: () => unknown): Promise<number> {
  const attempt = (): void => {
    try {
      run();
    } catch {
      // Some inputs are refused.
    }
  };
  return processorMs(attempt, stall);
}

const MiB = 1024 * 1024;
const ones = Array.from({ length: MiB / 2 }, () => 1);
const empties = Array.from({ length: MiB / 3 }, () => ({}));
const members = (count: number, more: string): unknown =>
  JSON.parse(`{${Array.from({ length: count }, (_, i) => `"k${i}":1,`).join("")}${more}}`);

/** The maximum milliseconds that a run may take. A linear parser needs a tenth of that. */
const stall = 1_000;

/** Inputs of the maximum permitted size. A quadratic parser would take minutes for most of them. */
const inputs: Readonly<Record<string, () => unknown>> = {
  "digits and a letter for a number": () => toNumber(`${"9".repeat(MiB)}x`, "form tonnes"),
  "digits without end for a number": () => toNumber("9".repeat(MiB), "form tonnes"),
  "dots for a number": () => toNumber(".".repeat(MiB), "form tonnes"),
  "a form of bytes beyond ASCII": () => parseForm(`a=${"\xc3\xa9".repeat(MiB / 2)}`),
  "a form of plus signs": () => parseForm(`a=${"+".repeat(MiB)}`),
  "a form of escapes": () => parseForm(`a=${"%41".repeat(MiB / 3)}`),
  "a form of percent signs": () => parseForm(`a=${"%".repeat(MiB)}`),
  "a list of half a million numbers": () => bodyJSON(ones, 0),
  "a list of empty objects": () => bodyJSON(empties, 0),
};
const poisoned = members(60_000, `"__proto__":{}`);

describe("nothing of the allowed size stalls the loop:", () => {
  test.each(Object.entries(inputs))("%s", async (_, run) => {
    expect(await longestBlock(run)).toBeLessThan(stall);
  });

  test("an object with many members of which one is poison", async () => {
    expect(await longestBlock(() => bodyJSON(poisoned, 0))).toBeLessThan(stall);
  });

  test("a path of the framework with thousands of slashes", async () => {
    const signed = { methods: ["GET"], handle: () => {} };
    await using app = await start(bundleOf(apis({})), { injected: { "api/signed/": signed } });
    const path = `/_fw/${"a/".repeat(7500)}`;
    const ask = async (): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => request(app.port, path)));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
    };
    expect(await processorMs(ask, 2 * stall)).toBeLessThan(2 * stall);
  });
});

test("a JSON value loses the poison and nothing else", () => {
  const text = `{"a":1,"__proto__":{"x":1},"b":[{"constructor":{"prototype":1}},{"constructor":"a"}],"c":{"__proto__":null}}`;
  const value = bodyJSON(JSON.parse(text), 0);
  expect(JSON.stringify(value)).toBe(`{"a":1,"b":[{},{"constructor":"a"}],"c":{}}`);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test.each([
  ["lists", (levels: number) => "[".repeat(levels) + "]".repeat(levels)],
  ["objects", (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`],
])("JSON of more nested %s than the limit is refused", (_, nested) => {
  const text = nested(jsonDepth + 1);
  expect(JSON.stringify(bodyJSON(JSON.parse(text), 0))).toBe(text);
  expect(() => bodyJSON(JSON.parse(nested(jsonDepth + 2)), 0)).toThrow("nested");
});

test("a number of a body that was parsed exactly is a finite double", () => {
  expect([1.5, 2n, -(2n ** 64n)].map(bodyNumber)).toEqual([1.5, 2, -(2 ** 64)]);
  expect([10n ** 400n, "1", true, null, NaN, undefined].map(bodyNumber)).toEqual(Array(6).fill(undefined));
});
