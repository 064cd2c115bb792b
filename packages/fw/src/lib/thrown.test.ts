import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostile } from "./testing/hostile.ts";
import { tries } from "./testing/tries.ts";
import { asError, errorTextOf, isA, messageOf, stackOf } from "./thrown.ts";

test("whatever is thrown can be read: a sentence, a stack, an error that formats like any other", () => {
  fc.assert(
    fc.property(hostile, ({ make }) => {
      const thrown = make();
      expect(typeof messageOf(thrown)).toBe("string");
      expect(typeof stackOf(thrown)).toBe("string");
      expect(typeof isA(thrown, RangeError)).toBe("boolean");
      const error = asError(thrown);
      expect(error).toBeInstanceOf(Error);
      for (const text of [error.message, error.stack, errorTextOf(error).stack]) expect(typeof text).toBe("string");
    }),
    { numRuns: tries(500) },
  );
});

test("an error that can be read stays itself", () => {
  const error = new TypeError("plain");
  expect(asError(error)).toBe(error);
});

test("an object without prototype speaks with its message", () => {
  expect(messageOf(Object.assign(Object.create(null), { message: "odd" }))).toBe("odd");
});

test("an error whose stack cannot be read keeps its message", () => {
  const error = Object.defineProperty(new Error("kept"), "stack", {
    get() {
      throw new Error("no");
    },
  });
  expect(asError(error)).toMatchObject({ message: "kept", stack: "Error: kept" });
});
