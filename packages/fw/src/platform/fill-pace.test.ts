import { expect, test } from "vitest";
import { FillPace } from "./fill-pace.ts";

/** The pauses after batches of five milliseconds, in a process that spends a share of them on other work. */
async function pausesOf(share: number, batches: number): Promise<readonly number[]> {
  let [active, idle] = [0, 0];
  const pauses: number[] = [];
  const time = {
    sleep: async (milliseconds: number) => {
      pauses.push(milliseconds);
      active += milliseconds * share;
      idle += milliseconds * (1 - share);
    },
    utilization: () => ({ active, idle }),
  };
  const pace = new FillPace({ free: 500, paced: 50 }, time);
  for (let batch = 0; batch < batches; batch++) await pace.pause(5, undefined);
  return pauses;
}

test("the first second of a fill has no pauses, and large batches", async () => {
  expect(await pausesOf(0, 199)).toEqual([]);
  const pace = new FillPace({ free: 500, paced: 50 });
  expect(pace.batchSize).toBe(500);
});

test("a busy process pauses a hundred times as long as it fills", async () => {
  expect(await pausesOf(0.05, 203)).toEqual([500, 500, 500, 500]);
});

test("an idle process fills half of the time", async () => {
  const [first, ...others] = await pausesOf(0.01, 203);
  expect(first).toBe(500);
  expect(others).toEqual([5, 5, 5]);
});

test("a process that becomes busy is noticed after a tenth of a second of pauses, however short each is", async () => {
  let [active, idle, requests] = [0, 0, 0];
  const pauses: number[] = [];
  const time = {
    sleep: async (milliseconds: number) => {
      pauses.push(milliseconds);
      idle += milliseconds;
      // From the tenth pause on, every fourth meets a request.
      if (pauses.length >= 10 && ++requests % 4 === 0) active += 1;
    },
    utilization: () => ({ active, idle }),
  };
  const pace = new FillPace({ free: 500, paced: 50 }, time);
  for (let batch = 0; batch < 250; batch++) await pace.pause(5, undefined);
  expect(pauses[0]).toBe(500);
  expect(pauses.slice(1, 21).every((pause) => pause === 5)).toBe(true);
  expect(pauses).toContain(500);
  expect(pauses.slice(2).indexOf(500)).toBeLessThan(45);
});
