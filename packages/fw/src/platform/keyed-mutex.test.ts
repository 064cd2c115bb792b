import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeyedMutex, type LockTimeouts } from "./keyed-mutex.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Starts a caller for each duration, which holds the key for that many milliseconds. Returns how many milliseconds each
 * caller waited.
 */
async function line(timeouts: LockTimeouts, durations: readonly number[]): Promise<number[]> {
  const mutex = new KeyedMutex();
  const started = Date.now();
  const at: number[] = [];
  const all = durations.map(async (milliseconds, place) => {
    const release = await mutex.lock("x", timeouts);
    at[place] = Date.now() - started;
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    release();
  });
  await vi.runAllTimersAsync();
  await Promise.all(all);
  return at;
}

test("a long line is waited for as long as it moves", async () => {
  expect(await line({ each: 100 }, [60, 60, 60, 60])).toEqual([0, 60, 120, 180]);
});

test("who keeps their turn for too long is passed over, and nobody else", async () => {
  expect(await line({ each: 100 }, [1_000, 60, 60])).toEqual([0, 100, 160]);
});

test("who waits for all no longer than so long goes on then", async () => {
  expect(await line({ all: 100 }, [60, 60, 60, 60])).toEqual([0, 60, 100, 100]);
});
