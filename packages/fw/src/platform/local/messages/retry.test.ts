import { expect, onTestFinished, test } from "vitest";
import { SteppedClock } from "../../stepped-clock.ts";
import { openLocal } from "../open.ts";
import { scratch } from "../../../lib/testing/scratch.ts";
import { emails, openMessages, policy, sendMany, worker } from "../../testing/local-messages.ts";
import { redefine } from "../../testing/redefine.ts";

test("a message that fails comes back after minBackoff, then after twice as long each time, up to maxBackoff", async () => {
  const { platform, clock } = await openMessages([worker()]);
  const times: number[] = [];
  platform.dispatcher.deliver(async () => {
    times.push(clock.now());
    throw new Error("no");
  });
  await platform.messages.send(emails, { body: "1" });
  await clock.advance(policy.maxBackoff * 10);
  await platform.dispatcher.idle();
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(gaps).toHaveLength(9);
  for (const [i, gap] of gaps.entries()) {
    const doubled = policy.minBackoff * 2 ** i;
    const shortest = Math.min(doubled, policy.maxBackoff / 1.5);
    expect(gap).toBeGreaterThanOrEqual(Math.floor(shortest));
    expect(gap).toBeLessThanOrEqual(Math.min(policy.maxBackoff, doubled * 1.5));
  }
  expect(await platform.dispatcher.dead()).toHaveLength(1);
});

test("messages that failed together do not come back together", async () => {
  const { platform, clock } = await openMessages([worker({ concurrency: 100 })]);
  const times = new Set<number>();
  platform.dispatcher.deliver(async ({ attempt }) => {
    if (attempt === 1) throw new Error("no");
    times.add(clock.now());
  });
  await sendMany(platform, 50);
  await clock.advance(policy.minBackoff * 1.5);
  await platform.dispatcher.idle();
  expect(times.size).toBeGreaterThan(25);
});

test("a rateLimit spreads the deliveries of a queue evenly", async () => {
  const { platform, clock } = await openMessages([worker({ rateLimit: 5, concurrency: 100 })]);
  const times: number[] = [];
  platform.dispatcher.deliver(async () => void times.push(clock.now()));
  const started = clock.now();
  await sendMany(platform, 25);
  await clock.advance(10_000);
  await platform.dispatcher.idle();
  expect(times.map((time) => time - started)).toEqual(Array.from({ length: 25 }, (_, i) => i * 200));
});

test("a rateLimit may be less than one a second, and holds after a pause", async () => {
  const { platform, clock } = await openMessages([worker({ rateLimit: 0.5 })]);
  const times: number[] = [];
  platform.dispatcher.deliver(async () => void times.push(clock.now()));
  await clock.advance(60_000);
  const started = clock.now();
  await sendMany(platform, 3);
  await clock.advance(60_000);
  await platform.dispatcher.idle();
  expect(times.map((time) => time - started)).toEqual([0, 2_000, 4_000]);
});

test("a policy that has changed holds from the next attempt", async () => {
  const { platform, clock } = await openMessages([worker()]);
  let attempts = 0;
  platform.dispatcher.deliver(async () => {
    attempts++;
    throw new Error("no");
  });
  await sendMany(platform, 1);
  await platform.dispatcher.idle();
  await clock.advance(3_600_000);
  await platform.dispatcher.idle();
  expect(attempts).toBe(10);
  await sendMany(platform, 1);
  await clock.advance(policy.minBackoff * 1.5);
  expect(attempts).toBe(12);
  await redefine(platform, { kinds: [], consumers: [worker({ maxAttempts: 2 })] });
  await clock.advance(policy.minBackoff * 3);
  await platform.dispatcher.idle();
  expect(attempts).toBe(12);
  expect((await platform.dispatcher.dead()).map((dead) => [dead.attempts, dead.reason])).toEqual([
    [10, "no"],
    [2, "no"],
  ]);
});

test.each([0, 3_600_000])(
  "a clock that is set back by a day holds no retry, and no message with a delay of %i ms",
  async (delay) => {
    const clock = new SteppedClock();
    const definitions = { kinds: [], consumers: [worker()] };
    const platform = await openLocal(await scratch(), definitions, { clock, temporary: true });
    onTestFinished(() => platform.close());
    const attempts: number[] = [];
    platform.dispatcher.deliver(async ({ attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) throw new Error("no");
    });
    await sendMany(platform, 1);
    await expect.poll(() => attempts).toEqual([1]);
    await platform.messages.send(emails, { body: "1", delay: delay + 1 });
    clock.jump(-86_400_000);
    await clock.advance(delay + 120_000);
    await clock.advance(policy.maxBackoff);
    await platform.dispatcher.idle();
    expect(attempts.toSorted()).toEqual([1, 1, 2, 2]);
  },
);
