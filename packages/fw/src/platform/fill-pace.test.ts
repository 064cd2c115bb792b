import { expect, test } from "vitest";
import { FillPace, type StepLimit } from "./fill-pace.ts";

interface Course {
  /** Milliseconds of each pause. */
  readonly pauses: readonly number[];
  /** The limit of each step. */
  readonly limits: readonly StepLimit[];
}

interface Load {
  /** Milliseconds of other work during a pause. */
  readonly work?: number;
  /** Milliseconds by which a pause overruns. */
  readonly delay?: number;
}

/** Runs steps that each use their full time limit, alongside other work. */
async function paced(steps: number, load: (step: number) => Load, waitedMs?: number): Promise<Course> {
  let [active, idle] = [0, 0];
  const course = { pauses: [] as number[], limits: [] as StepLimit[] };
  const time = {
    sleep: async (milliseconds: number) => {
      const { work = 0, delay = 0 } = load(course.pauses.length);
      course.pauses.push(milliseconds);
      active += work;
      idle += milliseconds + delay - work;
    },
    utilization: () => ({ active, idle }),
  };
  const pace = new FillPace(time);
  for (let step = 0; step < steps; step++) {
    course.limits.push(pace.limit);
    await pace.pause(pace.limit.milliseconds, undefined, waitedMs);
  }
  return course;
}

const documentsOf = ({ limits }: Course): number[] => limits.map(({ documents }) => documents);

test("a fill starts with small steps, and takes large ones after a quarter of a second without requests", async () => {
  const course = await paced(80, () => ({ work: 0.05 }));
  const first = documentsOf(course).findIndex((count) => count > 32);
  const waited = course.pauses.slice(0, first).reduce((sum, pause) => sum + pause, 0);
  expect(waited).toBeGreaterThanOrEqual(250);
  expect(waited).toBeLessThan(260);
  expect(new Set(documentsOf(course).slice(first))).toEqual(new Set([500]));
  expect(new Set(course.pauses.slice(first))).toEqual(new Set([1]));
});

test("a fill next to requests takes a twentieth of the time, in steps of a quarter of a millisecond", async () => {
  const { limits, pauses } = await paced(200, (step) => ({ work: step % 10 === 0 ? 0.3 : 0 }));
  expect(limits.every(({ milliseconds }) => Math.abs(milliseconds - 0.25) < 0.001)).toBe(true);
  expect(pauses.every((pause) => Math.abs(pause - 5) < 0.01)).toBe(true);
});

test("steps that come late on an overloaded machine are longer, so that the fill goes on", async () => {
  const course = await paced(20, (step) => ({ work: 20, delay: step < 10 ? 20 : 1000 }));
  expect(course.limits[5]?.milliseconds).toBeCloseTo(1.25);
  expect(course.limits.at(-1)?.milliseconds).toBe(2);
  expect(course.pauses.at(-1)).toBe(40);
});

test("no pause is longer than a tenth of a second", async () => {
  const { pauses } = await paced(5, () => ({ work: 1 }), 1000);
  expect(new Set(pauses)).toEqual(new Set([100]));
});

test("a fill leaves a database three quarters of the time that its work takes there", async () => {
  const { pauses } = await paced(5, () => ({ work: 1 }), 10);
  expect(new Set(pauses)).toEqual(new Set([35]));
});

test("the first request ends large steps", async () => {
  const course = await paced(200, (step) => ({ work: step === 150 ? 0.3 : 0 }));
  expect(documentsOf(course).slice(149, 153)).toEqual([500, 500, 32, 32]);
  expect(documentsOf(course)[199]).toBe(32);
});

test("short requests end large steps if there are many", async () => {
  const course = await paced(500, (step) => ({ work: step > 150 && step % 6 === 0 ? 0.2 : 0 }));
  expect(documentsOf(course)[150]).toBe(500);
  expect(documentsOf(course).slice(151, 500)).toContain(32);
});
