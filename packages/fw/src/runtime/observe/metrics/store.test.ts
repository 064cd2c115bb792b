import { expect, test } from "vitest";
import { Counter, Histogram } from "../../../declare/metric.ts";
import { apis } from "../../testing/app.ts";
import type { MetricSeries } from "./snapshot.ts";
import { MetricStore } from "./store.ts";

const placed = { kind: "counter", name: "placed", declaration: Counter("placed") } as const;
const size = { kind: "histogram", name: "size", declaration: Histogram("size") } as const;

function endpoints(...routes: readonly string[]): ReturnType<typeof apis> {
  return apis(Object.fromEntries(routes.map((route) => [route, () => undefined])));
}

/** Formats each series as a line. */
function lines(series: readonly MetricSeries[]): readonly string[] {
  return series.map((each) => {
    const labels = Object.entries(each.labels).map(([name, value]) => `${name}=${value}`);
    const values = each.kind === "counter" ? [each.value] : [`${each.count} of ${each.sum}`];
    return [each.name, ...labels, ...values].join(" ");
  });
}

test("declared metrics are there from the start, and what comes with a route from its first request on", () => {
  const store = new MetricStore({ now: () => 5 });
  store.define({ endpoints: endpoints("GET /a", "GET /b"), metrics: [placed, size] });
  expect(lines(store.snapshot().series)).toEqual(["placed 0", "size 0 of 0"]);
  store.request("GET /a", 204, 3);
  store.request("GET /a", 503, 5);
  store.request("<unmatched>", 404, 1);
  store.add("placed", 2);
  store.add("placed", 0.5);
  store.observe("size", -1);
  expect(store.snapshot()).toMatchObject({ at: 5, since: 5 });
  expect(lines(store.snapshot().series)).toEqual([
    "placed 2.5",
    "size 1 of -1",
    "requests route=<unmatched> status=4xx 1",
    "request_ms route=<unmatched> 1 of 1",
    "requests route=GET /a status=2xx 1",
    "requests route=GET /a status=5xx 1",
    "request_ms route=GET /a 2 of 8",
  ]);
});

test("the next version of an application counts on", () => {
  const store = new MetricStore();
  store.define({ endpoints: endpoints("GET /a"), metrics: [placed] });
  store.request("GET /a", 200, 1);
  store.add("placed", 1);
  store.define({ endpoints: endpoints("GET /b", "GET /a"), metrics: [placed, size] });
  store.request("GET /a", 200, 1);
  store.request("GET /b", 200, 1);
  store.add("placed", 1);
  const counters = store.snapshot().series.filter(({ kind }) => kind === "counter");
  expect(lines(counters)).toEqual([
    "placed 2",
    "requests route=GET /a status=2xx 2",
    "requests route=GET /b status=2xx 1",
  ]);
});

test("beyond the bound of routes requests are counted together, and that is reported once", () => {
  const warnings: string[] = [];
  const store = new MetricStore({ mostRoutes: 2, warn: (sentence) => warnings.push(sentence) });
  store.define({ endpoints: endpoints("GET /a", "GET /b", "GET /c", "GET /d") });
  for (const route of ["GET /a", "GET /b", "GET /c", "GET /d", "<unmatched>"]) store.request(route, 200, 1);
  const requests = store.snapshot().series.filter(({ name }) => name === "requests");
  expect(lines(requests)).toEqual([
    "requests route=<other> status=2xx 2",
    "requests route=<unmatched> status=2xx 1",
    "requests route=GET /a status=2xx 1",
    "requests route=GET /b status=2xx 1",
  ]);
  expect(warnings).toEqual([
    "only 2 routes have metrics of their own; others, such as GET /c, are counted together as <other>",
  ]);
});

test("a metric that fw has not read is left out and reported once", () => {
  const told: string[] = [];
  const store = new MetricStore({ warn: (sentence) => told.push(sentence) });
  for (let call = 0; call < 3; call++) store.add(`made_at_run_time_${call}`, 1);
  expect(store.snapshot().series).toEqual([]);
  expect(told).toEqual(["made_at_run_time_0 is not a metric that fw found in the source; its values were ignored"]);
});

test("a sum beyond every number stays one", () => {
  const store = new MetricStore();
  store.define({ endpoints: [], metrics: [placed, size] });
  for (let call = 0; call < 3; call++) {
    store.add("placed", Number.MAX_VALUE);
    store.observe("size", -Number.MAX_VALUE);
  }
  const [counter, histogram] = store.snapshot().series;
  expect([counter, histogram]).toMatchObject([{ value: Number.MAX_VALUE }, { sum: -Number.MAX_VALUE, count: 3 }]);
});

test.each([
  [100, "1xx"],
  [399, "3xx"],
  [499, "4xx"],
  [599, "5xx"],
  [999, "5xx"],
])("a status of %i is of the class %s", (status, expected) => {
  const store = new MetricStore();
  store.request("<unmatched>", status, 1);
  expect(store.snapshot().series[0]?.labels["status"]).toBe(expected);
});
