import { expect, test } from "vitest";
import { parseRate } from "./rate.ts";

test.each([
  ["10/h", { count: 10, milliseconds: 3_600_000 }],
  ["5/15m", { count: 5, milliseconds: 900_000 }],
  ["1/s", { count: 1, milliseconds: 1_000 }],
  ["1000/31d", { count: 1_000, milliseconds: 2_678_400_000 }],
])("%s is a rate", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

test.each([
  "",
  "10",
  "10/",
  "/h",
  "10/h/h",
  "-1/h",
  "1.5/h",
  "0/h",
  "1001/h",
  "10/w",
  "10/ms",
  "1/500ms",
  "1/32d",
  "١/h",
])("%j is refused", (text) => {
  expect(parseRate(text)).toHaveProperty("problem");
});
