import { expect, test } from "vitest";
import { Cron } from "../declare/cron.ts";
import { Counter, Histogram } from "../declare/metric.ts";
import { Errorf } from "../declare/errors.ts";
import { Job } from "../declare/job.ts";
import { Runner } from "../declare/runner.ts";
import { apis, bundleOf } from "../runtime/testing/app.ts";
import { destination, runner } from "../runtime/testing/background.ts";
import { testApps } from "./load.ts";

const placed = Counter("orders_placed");
const elsewhere = Counter("elsewhere");
const value = Histogram("order_value");
const nightly = Cron("nightly", "0 3 * * *", () => {});
const failing = Cron("failing", "0 3 * * *", () => {
  throw new Error("no");
});
const endpoints = apis({
  "POST /orders": (ctx) => {
    placed.add(ctx, 2);
    value.observe(ctx, 3);
  },
  "GET /full": () => {
    throw Errorf(503, "full");
  },
});
const place = endpoints[0]!.declaration;
const full = endpoints[1]!.declaration;
const crons = [nightly, failing].map((declaration) => {
  const { name, schedule } = declaration;
  return { declaration, name, schedule, package: 0, timezone: "UTC", deadline: 60_000 };
});
const rebuild = Job<{ fails: boolean }>("rebuild");
const rebuilder = Runner(rebuild, (_ctx, { fails }) => {
  if (fails) throw new Error("no");
});
const newTestApp = testApps(async () => ({
  default: {
    ...bundleOf(endpoints),
    crons,
    destinations: [destination(rebuild)],
    consumers: [runner(rebuilder, { maxAttempts: 2 })],
    metrics: [
      { declaration: placed, kind: "counter", name: "orders_placed" },
      { declaration: value, kind: "histogram", name: "order_value" },
    ],
  },
}));

test("a test reads what its application counted, by declaration", async () => {
  await using app = await newTestApp({ now: new Date("2026-01-01T02:59:00Z") });
  expect(app.metrics.counter(placed)).toBe(0);
  expect(app.metrics.histogram(value)).toMatchObject({ count: 0, sum: 0, buckets: [] });
  expect(app.metrics.histogram(value).percentile(0.5)).toBeUndefined();
  for (let request = 0; request < 3; request++) await app.fetch("/orders", { method: "POST" });
  await app.fetch("/full");
  await app.fetch("/nowhere");
  await expect.poll(() => app.metrics.requests("<unmatched>", { status: "4xx" })).toBe(1);
  expect(app.metrics.counter(placed)).toBe(6);
  expect(app.metrics.histogram(value)).toMatchObject({ count: 3, sum: 9, buckets: [{ from: 2, to: 4, count: 3 }] });
  expect(app.metrics.histogram(value).percentile(0.5)).toBe(3);
  expect(app.metrics.requests(place)).toBe(3);
  expect(app.metrics.requests(full, { status: "5xx" })).toBe(1);
  expect(app.metrics.requests(full, { status: "2xx" })).toBe(0);
  expect(app.metrics.requestMs(place).count).toBe(3);
});

test("runs of crons count under their name, and the instant of a snapshot is the clock's", async () => {
  await using app = await newTestApp({ now: new Date("2026-01-01T02:59:00Z") });
  await app.clock.advance("2m");
  expect(app.metrics.requests(nightly, { status: "2xx" })).toBe(1);
  expect(app.metrics.requests(failing, { status: "5xx" })).toBe(1);
  const { at, since, series } = app.metrics.snapshot();
  expect([new Date(since), new Date(at)]).toEqual([new Date("2026-01-01T02:59:00Z"), new Date("2026-01-01T03:01:00Z")]);
  expect(series.filter(({ name }) => name === "requests").map(({ labels }) => labels)).toEqual([
    { route: "/_fw/api/cron/nightly", status: "2xx" },
    { route: "/_fw/api/cron/failing", status: "5xx" },
  ]);
});

test("each attempt of a job's task counts under the job's name", async () => {
  await using app = await newTestApp();
  await rebuild.start(app.ctx(), { fails: false });
  await rebuild.start(app.ctx(), { fails: true });
  await app.drain();
  expect(app.metrics.requests(rebuild, { status: "2xx" })).toBe(1);
  expect(app.metrics.requests(rebuild, { status: "5xx" })).toBe(2);
  expect(app.metrics.requestMs(rebuild).count).toBe(3);
});

test("a metric of another application is refused", async () => {
  await using app = await newTestApp();
  expect(() => app.metrics.counter(elsewhere)).toThrow("this metric is not part of the application of the test");
});
