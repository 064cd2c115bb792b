import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Watchdog } from "./watchdog.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a server that answers nothing is stopped after the timeout, even if queries are added", () => {
  const stop = vi.fn();
  const watchdog = new Watchdog(100, stop);
  watchdog.begin();
  vi.advanceTimersByTime(60);
  watchdog.begin();
  vi.advanceTimersByTime(39);
  expect(stop).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(stop).toHaveBeenCalledOnce();
});

test("a query may take longer than the timeout while its questions are answered", () => {
  const stop = vi.fn();
  const watchdog = new Watchdog(100, stop);
  watchdog.begin();
  for (let answers = 0; answers < 10; answers += 1) {
    vi.advanceTimersByTime(99);
    watchdog.noteAnswer();
  }
  expect(stop).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(stop).toHaveBeenCalledOnce();
});

test("a server without queries is not stopped", () => {
  const stop = vi.fn();
  const watchdog = new Watchdog(100, stop);
  watchdog.begin();
  watchdog.begin();
  watchdog.end();
  expect(watchdog.isWatching).toBe(true);
  watchdog.end();
  expect(watchdog.isWatching).toBe(false);
  watchdog.noteAnswer();
  vi.advanceTimersByTime(1_000);
  expect(stop).not.toHaveBeenCalled();
});
