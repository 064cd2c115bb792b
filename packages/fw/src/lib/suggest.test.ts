import { describe, expect, test } from "vitest";
import { listOf, nearest } from "./suggest.ts";

describe("nearest", () => {
  const settings = ["signIn", "allow", "private", "maxAge"];

  test.each([
    ["signin", "signIn"],
    ["SignIn", "signIn"],
    ["sginIn", "signIn"],
    ["maxage", "maxAge"],
    ["privte", "private"],
    ["maxAges", "maxAge"],
  ])("%s is taken for %s", (typed, meant) => {
    expect(nearest(typed, settings)).toBe(meant);
  });

  test.each(["cache", "", "x", "a".repeat(100_000)])("a name near to none is taken for none", (typed) => {
    expect(nearest(typed, settings)).toBeUndefined();
  });

  test("a name is not offered for itself", () => {
    expect(nearest("allow", ["allow"])).toBeUndefined();
  });

  test("the nearest of several wins, the first of equals", () => {
    expect(nearest("cat", ["cart", "cat1", "bat"])).toBe("cart");
  });
});

describe("listOf", () => {
  test("reads as a phrase", () => {
    expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((names) => listOf(names))).toEqual([
      "",
      '"a"',
      '"a" or "b"',
      '"a", "b" or "c"',
    ]);
    expect(listOf(["a", "b"], "and")).toBe('"a" and "b"');
  });
});
