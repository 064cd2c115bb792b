import { expect, test } from "vitest";
import { FillPace } from "./fill-pace.ts";

interface Course {
  /** Milliseconds of each pause. */
  readonly pauses: readonly number[];
  /** Documents that each step may have. */
  readonly documents: readonly number[];
}

/** Runs steps of half a millisecond in a process that spends a share of each pause on other work. */
async function paced(steps: number, othersShare: (step: number) => number): Promise<Course> {
  let [active, idle] = [0, 0];
  const course = { pauses: [] as number[], documents: [] as number[] };
  const time = {
    sleep: async (milliseconds: number) => {
      const share = othersShare(course.pauses.length);
      course.pauses.push(milliseconds);
      active += milliseconds * share;
      idle += milliseconds * (1 - share);
    },
    utilization: () => ({ active, idle }),
  };
  const pace = new FillPace(time);
  for (let step = 0; step < steps; step++) {
    course.documents.push(pace.limit.documents);
    await pace.pause(0.5, undefined);
  }
  return course;
}

test("a fill starts with small steps, and takes large ones after a tenth of a second without other work", async () => {
  const { pauses, documents } = await paced(20, () => 0.01);
  expect(pauses.slice(0, 2).every((pause) => pause >= 15 && pause < 16)).toBe(true);
  const first = documents.findIndex((count) => count > 32);
  expect(pauses.slice(0, first).reduce((sum, pause) => sum + pause, 0)).toBeLessThan(120);
  expect(new Set(documents.slice(first))).toEqual(new Set([500]));
  expect(new Set(pauses.slice(first))).toEqual(new Set([1]));
});

test("a fill of a busy process takes the same share of the time that requests leave", async () => {
  for (const [share, pause] of [
    [0.05, 15 / 0.95],
    [0.5, 30],
    [0.8, 75],
    [1, 100],
  ] as const) {
    const { pauses, documents } = await paced(30, () => share);
    expect(new Set(documents)).toEqual(new Set([32]));
    expect(pauses.at(-1)).toBeCloseTo(pause);
  }
});

test("the first request ends large steps, however short the pause is that shows it", async () => {
  const { pauses, documents } = await paced(40, (step) => (step === 30 ? 0.3 : 0));
  expect(documents.slice(29, 33)).toEqual([500, 500, 32, 32]);
  expect(pauses[31]).toBeGreaterThanOrEqual(15);
});

test("requests between which pauses fall are noticed after a tenth of a second of pauses", async () => {
  const { documents } = await paced(200, (step) => (step > 20 && step % 6 === 0 ? 0.2 : 0));
  expect(documents[20]).toBe(500);
  expect(documents.slice(21, 121)).toContain(32);
});
