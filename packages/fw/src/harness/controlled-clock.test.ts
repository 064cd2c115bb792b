import { expect, test } from "vitest";
import { ControlledClock } from "./controlled-clock.ts";

/** Sleeps several times, and logs the time after each sleep. */
async function every(clock: ControlledClock, name: string, ms: number, times: number, log: string[]): Promise<void> {
  for (let i = 0; i < times; i++) {
    await clock.sleep(ms);
    log.push(`${name} ${clock.now()}`);
  }
}

test("time stands still until it is advanced", async () => {
  const clock = new ControlledClock(1_000);
  expect(clock.now()).toBe(1_000);
  await clock.advance("1.5s");
  expect(clock.now()).toBe(2_500);
});

test("what waits goes on at its instant, the earliest first, and its next wait counts too", async () => {
  const clock = new ControlledClock(0);
  const log: string[] = [];
  const work = Promise.all([every(clock, "a", 20, 3, log), every(clock, "b", 30, 2, log)]);
  await clock.advance("59ms");
  expect(log).toEqual(["a 20", "b 30", "a 40"]);
  await clock.advance("1ms");
  await work;
  expect(log.slice(3)).toEqual(["b 60", "a 60"]);
});

test("a wait that is aborted rejects with the signal's reason, before and after it began", async () => {
  const clock = new ControlledClock(0);
  const controller = new AbortController();
  const waiting = clock.sleep(10, controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(clock.sleep(10, controller.signal)).rejects.toThrow("enough");
});

test("a length of time that is none is refused", () => {
  expect(() => new ControlledClock(0).advance("soon" as "1s")).toThrow('"soon" is not a duration such as "10m"');
});
