import { expect, onTestFinished, test, vi } from "vitest";
import { Saves, giveWayMs } from "./saves.ts";
import type { Change } from "./watch/watcher.ts";

const saved = (path: string): Change => ({ path, kind: "changed" });

/** Returns saves whose work proceeds on demand, and a log of the bursts. */
function steps(): { saves: Saves; log: string[]; begun: () => number; next: () => void; idle: () => Promise<void> } {
  const log: string[] = [];
  const waiting: (() => void)[] = [];
  const saves = new Saves(
    async (changes) => {
      const names = `${saves.continues ? "again " : ""}${changes.map(({ path }) => path).join(" ")}`;
      log.push(`begin ${names}`);
      await new Promise<void>((resolve) => waiting.push(resolve));
      log.push(`${saves.isOvertaken() ? "left" : "live"} ${names}`);
    },
    (error) => log.push(`failed ${String(error)}`),
  );
  return {
    saves,
    log,
    begun: () => waiting.length,
    next: () => waiting.shift()?.(),
    idle: () => saves.runExclusively(async () => {}),
  };
}

test("what is saved while a burst is worked on is one burst after it, and goes live in its place", async () => {
  const { saves, log, next } = steps();
  saves.add([saved("a")]);
  await expect.poll(() => log).toEqual(["begin a"]);
  saves.add([saved("b")]);
  saves.add([saved("c"), saved("d")]);
  next();
  await expect.poll(() => log).toEqual(["begin a", "left a", "begin again b c d"]);
  next();
  await expect.poll(() => log).toEqual(["begin a", "left a", "begin again b c d", "live again b c d"]);
});

test("saves that never end do not keep everything from going live", async () => {
  const { saves, log, begun, next } = steps();
  saves.add([saved("0")]);
  for (let i = 1; i <= 13; i += 1) {
    await expect.poll(begun).toBe(1);
    saves.add([saved(String(i))]);
    next();
  }
  await expect.poll(() => log.filter((line) => line.startsWith("live"))).toEqual(["live again 5", "live again 11"]);
  expect(log).toContain("begin 6");
});

test("asked twice, a burst is left once", async () => {
  let requestCount = 0;
  const saves: Saves = new Saves(
    async () => {
      if (requestCount === 0) saves.add([saved("b")]);
      requestCount += 1;
      for (let again = 0; again < 9; again += 1) expect(saves.isOvertaken()).toBe(requestCount === 1);
    },
    (error) => {
      throw error;
    },
  );
  saves.add([saved("a")]);
  await expect.poll(() => requestCount).toBe(2);
});

test("a burst that fails is told, and the next one is worked on", async () => {
  const events: string[] = [];
  const saves = new Saves(
    async ([change]) => {
      if (change?.path === "bad") throw new Error("bad");
      events.push(change?.path ?? "");
    },
    (error) => events.push(String(error)),
  );
  saves.add([saved("bad")]);
  await saves.runExclusively(async () => {});
  saves.add([saved("good")]);
  saves.add([]);
  await saves.runExclusively(async () => {});
  expect(events).toEqual(["Error: bad", "good"]);
});

test("nothing is worked on between bursts before what was asked for there is done", async () => {
  const { saves, log, next, idle } = steps();
  const start = saves.runExclusively(async () => void log.push("start"));
  saves.add([saved("a")]);
  await start;
  await expect.poll(() => log).toEqual(["start", "begin a"]);
  next();
  await idle();
  expect(log).toEqual(["start", "begin a", "live a"]);
});

test("a file that does not concern the application, such as a log, overtakes no burst", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const log: string[] = [];
  let end: () => void = () => {};
  const saves: Saves = new Saves(
    async ([change]) => {
      const { givesWay } = saves;
      await new Promise<void>((resolve) => (end = resolve));
      log.push(`${change?.path} ${givesWay.aborted || saves.isOvertaken() ? "left" : "live"}`);
    },
    (error) => log.push(String(error)),
    (changes) => changes.some(({ path }) => path.endsWith(".ts")),
  );
  saves.add([saved("a.ts")]);
  await vi.advanceTimersByTimeAsync(0);
  saves.add([saved("a.log")]);
  await vi.advanceTimersByTimeAsync(10 * giveWayMs);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(["a.ts live"]);
  saves.add([saved("b.ts")]);
  await vi.advanceTimersByTimeAsync(giveWayMs);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(["a.ts live", "a.log left"]);
});

test("work gives way after twice as long each time in a row, so that saves that never stop do not keep it from ending", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let runs = 0;
  const saves: Saves = new Saves(
    async () => {
      setTimeout(() => saves.add([saved("next")]), 1);
      await new Promise((resolve) => saves.givesWay.addEventListener("abort", resolve));
      runs += 1;
    },
    () => {},
  );
  saves.add([saved("first")]);
  await vi.advanceTimersByTimeAsync(0);
  for (let count = 0; count < 4; count += 1) {
    await vi.advanceTimersByTimeAsync(giveWayMs * 2 ** count);
    expect(runs).toBe(count);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toBe(count + 1);
  }
});

test("hanging work gives way once a newer burst has waited for a while, and the newer one continues it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const log: string[] = [];
  const saves: Saves = new Saves(
    async ([change]) => {
      log.push(`${saves.continues ? "again " : ""}${change?.path}`);
      const { givesWay } = saves;
      if (change?.path === "hangs") await new Promise((resolve) => givesWay.addEventListener("abort", resolve));
    },
    (error) => log.push(String(error)),
  );
  saves.add([saved("hangs")]);
  await vi.advanceTimersByTimeAsync(10 * giveWayMs);
  expect(log).toEqual(["hangs"]);
  saves.add([saved("good")]);
  await vi.advanceTimersByTimeAsync(giveWayMs);
  expect(log).toEqual(["hangs", "again good"]);
});
