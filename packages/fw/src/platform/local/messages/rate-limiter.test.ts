import { expect, test } from "vitest";
import { RateLimiter } from "./rate-limiter.ts";

test("deliveries start at even distances", () => {
  const limiter = new RateLimiter();
  expect(limiter.allowance(1_000, 10, 5)).toBe(1);
  limiter.take(1_000, 10, 1);
  expect(limiter.next).toBe(1_100);
  expect([1_000, 1_050, 1_099, 1_100].map((now) => limiter.allowance(now, 10, 5))).toEqual([0, 0, 0, 1]);
});

test("a late turn catches up with 50 milliseconds, and no more", () => {
  const limiter = new RateLimiter();
  limiter.take(1_000, 100, 1);
  expect([1_060, 1_061].map((now) => limiter.allowance(now, 100, 20))).toEqual([6, 1]);
  expect(limiter.allowance(1_060, 100, 3)).toBe(3);
  limiter.take(1_060, 100, 3);
  expect(limiter.next).toBe(1_040);
  limiter.restart();
  expect(limiter.next).toBe(0);
});
