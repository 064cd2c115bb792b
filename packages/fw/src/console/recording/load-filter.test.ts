import { expect, test } from "vitest";
import { LoadFilter } from "./record-exchanges.ts";

test("of a load test, 100 answers a second and every failure keep their headers and bodies", () => {
  let now = 0;
  const filter = new LoadFilter(() => now);
  const countKept = (status: number): number =>
    Array.from({ length: 300 }, () => filter.takes(status)).filter(Boolean).length;
  expect([200, 500, 404, 302].map(countKept)).toEqual([100, 300, 300, 0]);
  now = 1_001;
  expect(countKept(200)).toBe(100);
});
