import { expect, test } from "vitest";
import { RenderTurns } from "./render-turns.ts";

test("a second has a limited number of renders, and holders take turns", async () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const turns = new RenderTurns(3, { now: () => now, after: (_, run) => void timers.push(run) });
  const starts: string[] = [];
  const renders = [..."aaaaabc"].map(async (holder) => {
    await turns.take(holder);
    starts.push(holder);
  });
  const seconds: string[] = [];
  while (starts.length < renders.length) {
    const before = starts.length;
    for (let i = 0; i < 10; i++) await Promise.resolve();
    seconds.push(starts.slice(before).join(""));
    now += 1_000;
    timers.shift()?.();
  }
  expect(seconds).toEqual(["aaa", "abc", "a"]);
});
