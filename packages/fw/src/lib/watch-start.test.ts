import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchStart, slowStartMs, startMs } from "./watch-start.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a start is reported when it is slow, and late when its time is used up", () => {
  const events: string[] = [];
  watchStart({ slow: (seconds) => events.push(`slow ${seconds}`), late: (seconds) => events.push(`late ${seconds}`) });
  vi.advanceTimersByTime(slowStartMs);
  expect(events).toEqual(["slow 5"]);
  vi.advanceTimersByTime(startMs - slowStartMs);
  expect(events).toEqual(["slow 5", "late 60"]);
});

test("a start that has ended is neither slow nor late", () => {
  const events: number[] = [];
  const end = watchStart({ slow: (seconds) => events.push(seconds), late: (seconds) => events.push(seconds) });
  end();
  vi.advanceTimersByTime(2 * startMs);
  expect(events).toEqual([]);
});
