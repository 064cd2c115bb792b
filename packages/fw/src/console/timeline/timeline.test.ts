import { expect, test } from "vitest";
import { MetricStore } from "../../runtime/observe/metrics/store.ts";
import { chartData, rangeOf } from "./charts.ts";
import { Timeline, type TimelineState } from "./timeline.ts";

const minute = 60_000;
const rest: Omit<TimelineState, "metrics"> = { queues: [], dead: 0, failures: {}, processes: {} };

function newStore(now: () => number): MetricStore {
  const store = new MetricStore({ now });
  const routes = ["GET /a", "GET /b", ...Array.from({ length: 100 }, (_, i) => `GET /orders/${i}`)];
  store.define({ endpoints: routes.map((route) => ({ route })), crons: [{ name: "sweep" }] } as never);
  return store;
}

/** Creates a timeline with samples five seconds apart. `count` records metrics before each sample. */
function timelineOf(samples: number, count: (metrics: MetricStore, sample: number) => void): Timeline {
  let now = minute;
  let metrics = newStore(() => now);
  const timeline = new Timeline(now);
  timeline.add({ metrics: metrics.snapshot(), ...rest });
  for (let i = 0; i < samples; i += 1) {
    now += 5_000;
    // A process that was replaced counts from zero.
    if (i === 3) metrics = newStore(() => now);
    count(metrics, i);
    timeline.add({ metrics: metrics.snapshot(), ...rest });
  }
  return timeline;
}

test("a chart has rates, the share of errors and the number of requests, also over a restart of the process", () => {
  const timeline = timelineOf(6, (metrics, i) => {
    for (let n = 0; n < 10; n += 1) metrics.request("GET /a", n === 0 && i === 5 ? 500 : 200, 10);
    metrics.request("GET /b", 200, 1_000);
  });
  const chart = chartData(timeline.since(0), minute + 30_000, { range: 40_000 });
  expect(chart.times).toEqual([55, 60, 65, 70, 75, 80, 85, 90]);
  expect(chart.samples).toEqual([0, 0, 11, 11, 11, 11, 11, 11]);
  expect(chart.rate).toEqual([null, null, 2.2, 2.2, 2.2, 2.2, 2.2, 2.2]);
  expect(chart.errors.at(-1)).toBeCloseTo(1 / 11);
  const oneRoute = chartData(timeline.since(0), minute + 30_000, { range: 40_000, routes: new Set(["GET /b"]) });
  expect(oneRoute.samples).toEqual([0, 0, 1, 1, 1, 1, 1, 1]);
  expect(oneRoute.percentiles.p99.at(-1)).toEqual({ from: 512, to: 1024 });
});

test("requests before the first sample are in the charts", () => {
  const metrics = newStore(() => minute);
  const timeline = new Timeline(minute - 5_000);
  metrics.request("GET /a", 200, 10);
  timeline.add({ metrics: metrics.snapshot(), ...rest });
  const { samples, rate } = chartData(timeline.since(0), minute, { range: 5_000 });
  expect({ samples, rate }).toEqual({ samples: [1], rate: [0.2] });
});

test("a sample that no process or only some answered neither stretches an interval nor counts requests twice", () => {
  let now = minute;
  const metrics = newStore(() => now);
  const timeline = new Timeline(now - 8_000);
  const unanswered = { at: 0, since: 0, series: [] };
  timeline.add({ metrics: unanswered, ...rest });
  metrics.request("GET /a", 200, 10);
  timeline.add({ metrics: metrics.snapshot(), ...rest });
  for (const partial of [unanswered, { at: minute + 15_000, since: 0, series: [] }]) {
    now += 10_000;
    metrics.request("GET /a", 200, 10);
    timeline.add({ metrics: partial, ...rest });
    timeline.add({ metrics: metrics.snapshot(), ...rest });
  }
  const counts = timeline.since(0).map(({ ms, routes }) => [ms, routes["GET /a"]?.statuses["2xx"] ?? 0]);
  expect(counts).toEqual([
    [8_000, 1],
    [10_000, 1],
    [5_000, 0],
    [5_000, 1],
  ]);
});

test("a percentile is as precise as the histogram", () => {
  const buckets = Array.from({ length: 20 }, () => 0);
  expect(rangeOf(buckets, 0.5)).toBeNull();
  buckets[5] = 98;
  buckets[19] = 2;
  expect(rangeOf(buckets, 0.5)).toEqual({ from: 16, to: 32 });
  expect(rangeOf(buckets, 0.99)).toEqual({ from: 262_144 });
});

test("a long range combines samples into at most 180 points, and crons are runs, not requests", () => {
  const timeline = timelineOf(1_000, (metrics, i) => {
    metrics.request("GET /a", 200, 10);
    if (i % 100 === 0) metrics.request("/_fw/api/cron/sweep", i === 0 ? 500 : 204, 10);
  });
  const chart = chartData(timeline.since(0), minute + 5_000_000, { range: 120 * minute });
  expect(chart.times.length).toBeLessThanOrEqual(180);
  expect(chart.samples.reduce((sum, each) => sum + each, 0)).toBe(1_000);
  const { completed, failed } = chart.runs["sweep"] ?? { completed: [], failed: [] };
  expect([completed, failed].map((each) => each.reduce((sum, runs) => sum + runs, 0))).toEqual([9, 1]);
});

test("samples of many routes stay within the bound of bytes", () => {
  const timeline = timelineOf(500, (metrics) => {
    for (let route = 0; route < 100; route += 1) metrics.request(`GET /orders/${route}`, 200, route);
  });
  expect(JSON.stringify(timeline.since(0)).length).toBeLessThan(20_000_000);
  expect(timeline.since(0).length).toBeGreaterThan(50);
});

test("a heat map has the buckets of each interval, and failed deliveries are counted by consumer", () => {
  let now = minute;
  const metrics = newStore(() => now);
  const timeline = new Timeline(now);
  timeline.add({ metrics: metrics.snapshot(), ...rest });
  for (const took of [10, 10, 1_000]) metrics.request("GET /a", 200, took);
  for (const failures of [{ "shop-mailer queue:mails": 2 }, { "shop-mailer queue:mails": 1 }]) {
    now += 5_000;
    timeline.add({ metrics: metrics.snapshot(), ...rest, failures });
  }
  const { latencies, bounds, failures } = chartData(timeline.since(0), now, { range: 10_000 });
  const byBound = latencies.map((counts) => counts.flatMap((count, i) => (count === 0 ? [] : [[bounds[i], count]])));
  expect(byBound).toEqual([
    [
      [16, 2],
      [1_024, 1],
    ],
    [],
  ]);
  expect(failures).toEqual({ "shop-mailer queue:mails": [2, 1] });
});
