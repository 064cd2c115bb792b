import { expect, test } from "vitest";
import { SteppedClock } from "../../../platform/stepped-clock.ts";
import { TaggedLogger, type LogRecord } from "../log.ts";
import { MetricFlusher } from "./flusher.ts";
import type { MetricSnapshot } from "./snapshot.ts";
import { MetricStore } from "./store.ts";

interface Bench {
  readonly clock: SteppedClock;
  readonly flusher: MetricFlusher;
  /** The total number of requests in each export. */
  readonly exported: number[];
  readonly logs: LogRecord[];
}

function bench(send: (snapshot: MetricSnapshot) => Promise<void> = async () => {}): Bench {
  const clock = new SteppedClock();
  const exported: number[] = [];
  const logs: LogRecord[] = [];
  const exporter = {
    export(take: () => MetricSnapshot): Promise<void> {
      const snapshot = take();
      exported.push(snapshot.series.reduce((sum, each) => sum + (each.kind === "counter" ? each.value : 0), 0));
      return send(snapshot);
    },
  };
  const log = new TaggedLogger((record) => logs.push(record), {});
  const flusher = new MetricFlusher({ store: new MetricStore({ now: () => clock.now() }), exporter, clock, log });
  return { clock, flusher, exported, logs };
}

test("metrics are flushed every 60 seconds, as cumulative totals, and when the process ends", async () => {
  const { clock, flusher, exported } = bench();
  flusher.metrics.request("GET /", 200, 1);
  await clock.advance(59_999);
  expect(exported).toEqual([]);
  await clock.advance(1);
  expect(exported).toEqual([1]);
  flusher.metrics.request("GET /", 200, 1);
  await clock.advance(120_000);
  expect(exported).toEqual([1, 2, 2]);
  flusher.metrics.request("GET /", 200, 1);
  await flusher.end();
  expect(exported).toEqual([1, 2, 2, 3]);
  await clock.advance(600_000);
  expect(exported).toHaveLength(4);
});

test("a request that ends when 60 seconds have passed flushes, where timers stood still meanwhile", async () => {
  let now = 0;
  const exported: number[] = [];
  const flusher = new MetricFlusher({
    store: new MetricStore(),
    exporter: { export: async () => void exported.push(now) },
    clock: { now: () => now, elapsed: () => now, sleep: () => new Promise(() => {}) },
    log: new TaggedLogger(() => {}, {}),
  });
  for (now of [1_000, 59_999, 60_000, 60_001, 119_999, 125_000]) {
    flusher.metrics.request("GET /", 200, 1);
    await Promise.resolve();
    await Promise.resolve();
  }
  await expect.poll(() => exported).toEqual([60_000, 125_000]);
});

test("a failing exporter is reported once until it works, and no count is lost", async () => {
  let fails = true;
  const { clock, flusher, exported, logs } = bench(async () => {
    if (fails) throw new Error("connection refused");
  });
  flusher.metrics.request("GET /", 200, 1);
  await clock.advance(180_000);
  expect(logs.map(({ level, message }) => [level, message])).toEqual([
    ["warn", "metrics could not be exported; the next export includes them"],
  ]);
  fails = false;
  await clock.advance(60_000);
  fails = true;
  await clock.advance(60_000);
  expect(logs).toHaveLength(2);
  expect(exported).toEqual([1, 1, 1, 1, 1]);
});

test("one export is under way at a time, and the last one has what was counted meanwhile", async () => {
  let arrived = (): void => {};
  const { clock, flusher, exported } = bench(() => new Promise((resolve) => (arrived = resolve)));
  await clock.advance(60_000);
  await clock.advance(300_000);
  expect(exported).toEqual([0]);
  flusher.metrics.request("GET /", 200, 1);
  const ended = flusher.end();
  arrived();
  await expect.poll(() => exported).toEqual([0, 1]);
  arrived();
  await ended;
});
