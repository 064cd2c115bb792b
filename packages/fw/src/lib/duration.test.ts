import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

describe("a duration literal", () => {
  test.each([
    ["0s", 0],
    ["250ms", 250],
    ["90s", 90_000],
    ["15m", 900_000],
    ["1.5h", 5_400_000],
    ["0.1s", 100],
    ["7d", 604_800_000],
    ["365d", 31_536_000_000],
  ])("%s is %d milliseconds", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    "",
    "10",
    "m",
    "-1s",
    "+1s",
    "1 m",
    "1M",
    "1e3s",
    "0x10s",
    "Infinitys",
    "NaNs",
    "1.s",
    ".5s",
    "0.5ms",
    "1m30s",
    "١s",
    " 1s",
  ])("%j is not one", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("too long for a safe integer is refused rather than rounded", () => {
    expect(parseDuration("9007199254740991ms")).toBeUndefined();
    expect(parseDuration("999999999999999d")).toBeUndefined();
    expect(parseDuration("999999999999999ms")).toBe(999_999_999_999_999);
  });

  test("survives being written and read back", () => {
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });

  test("is written with the largest unit that divides it", () => {
    expect([0, 1500, 600_000, 86_400_000, 90_000].map(formatDuration)).toEqual(["0ms", "1500ms", "10m", "1d", "90s"]);
  });
});
