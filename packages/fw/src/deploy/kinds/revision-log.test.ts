import { expect, test } from "vitest";
import { newestLines } from "./revision-log.ts";

const stack = ["Error: the scale is broken", ...Array.from({ length: 5 }, (_, i) => `    at frame ${i}`)].join("\n");

test.each([
  ["the newest of many", ["3", "2", "1"], ["1", "2", "3"]],
  [
    "ten at most",
    Array.from({ length: 12 }, (_, i) => `${12 - i}`),
    ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
  ],
  ["a stack after other lines", [stack, "b", "a"], ["a", "b", ...stack.split("\n")]],
  [
    "the message of a stack that is too long",
    [`${stack}\n${stack}`, "a"],
    [...stack.split("\n"), ...stack.split("\n").slice(0, 4)],
  ],
  ["no part of an older entry", [stack, stack], stack.split("\n")],
  ["none", [], []],
])("the last lines of a log are %s", (_title, entries, lines) => {
  expect(newestLines(entries)).toEqual(lines);
});
