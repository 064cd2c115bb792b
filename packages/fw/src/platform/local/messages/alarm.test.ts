import { expect, test } from "vitest";
import { SteppedClock } from "../../stepped-clock.ts";
import { Alarm } from "./alarm.ts";

test("an alarm rings once, at the earliest of its times, and not after it was cancelled", async () => {
  const clock = new SteppedClock(0);
  const rings: number[] = [];
  const alarm = new Alarm(clock, () => rings.push(clock.now()));
  alarm.set(30_000);
  alarm.set(10_000);
  alarm.set(20_000);
  await clock.advance(9_999);
  expect(rings).toEqual([]);
  await clock.advance(60_000);
  expect(rings).toEqual([10_000]);
  alarm.set(clock.now() + 1_000);
  alarm.cancel();
  await clock.advance(60_000);
  expect([rings, clock.sleeping]).toEqual([[10_000], 0]);
});

test("an alarm rings after a minute at the latest", async () => {
  const clock = new SteppedClock(0);
  const rings: number[] = [];
  new Alarm(clock, () => rings.push(clock.now())).set(3_600_000);
  await clock.advance(120_000);
  expect(rings).toEqual([60_000]);
});
