import { expect, test } from "vitest";
import { LoadFilter } from "./load-filter.ts";

test("of a load test, 100 requests a second are observed", () => {
  const seconds: (() => void)[] = [];
  const filter = new LoadFilter(100, (startNext) => seconds.push(startNext));
  const countTaken = (): number => Array.from({ length: 300 }, () => filter.takes()).filter(Boolean).length;
  expect(filter.isIdle).toBe(true);
  expect(countTaken()).toBe(100);
  expect(filter.isIdle).toBe(false);
  expect(countTaken()).toBe(0);
  expect(seconds).toHaveLength(1);
  seconds[0]?.();
  expect(filter.isIdle).toBe(true);
  expect(countTaken()).toBe(100);
});
