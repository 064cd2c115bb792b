import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseOpenMetrics } from "../../testing/open-metrics.ts";
import { mergeSnapshots } from "./merge.ts";
import { openMetricsText } from "./open-metrics.ts";
import type { MetricSeries, MetricSnapshot } from "./snapshot.ts";
import { MetricStore } from "./store.ts";
import { Counter, Histogram } from "../../../declare/metric.ts";

function snapshotOf(...series: readonly MetricSeries[]): MetricSnapshot {
  return { at: 1, since: 0, series };
}

function counter(name: string, value = 1, labels: Readonly<Record<string, string>> = {}): MetricSeries {
  return { name, kind: "counter", labels, value };
}

test("a counter and a histogram as OpenMetrics", () => {
  const store = new MetricStore();
  store.define({
    endpoints: [],
    metrics: [
      { kind: "counter", name: "orders-placed", declaration: Counter("orders-placed") },
      { kind: "histogram", name: "upload_bytes", declaration: Histogram("upload_bytes") },
    ],
  });
  store.add("orders-placed", 2.5);
  for (const value of [0.5, 1, 2, 3, 1e9]) store.observe("upload_bytes", value);
  const text = openMetricsText(store.snapshot());
  expect(text).toContain(`# TYPE orders_placed counter
# HELP orders_placed The counter orders-placed of the application.
orders_placed_total 2.5
# TYPE upload_bytes histogram
# UNIT upload_bytes bytes
# HELP upload_bytes The histogram upload_bytes of the application.
upload_bytes_bucket{le="1.0"} 2
upload_bytes_bucket{le="2.0"} 3
upload_bytes_bucket{le="4.0"} 4
`);
  expect(text).toMatch(
    /_bucket\{le="262144\.0"\} 4\n.*le="\+Inf"\} 5\nupload_bytes_count 5\nupload_bytes_sum .*\n# EOF\n$/,
  );
});

test("names that come out alike are told apart, also from the samples of others", () => {
  const names = ["a-b", "a_b", "a_b_total", "x", "x_count", "x_total", "total", "_total"];
  const families = parseOpenMetrics(openMetricsText(snapshotOf(...names.map((name) => counter(name)))));
  expect(families.size).toBe(names.length);
});

test("whatever routes and names there are, the text is OpenMetrics and holds every value", () => {
  const name = fc.stringMatching(/^[a-zA-Z][\w-]{0,8}$/);
  const label = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", "\n", '\\"\n', "# EOF\n"));
  const value = fc.oneof(fc.nat(), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));
  const entries = fc.uniqueArray(fc.tuple(name, label, value), { selector: ([each, text]) => `${each} ${text}` });
  fc.assert(
    fc.property(entries, (counts) => {
      const series = counts.map(([each, route, sum]) => counter(each, sum, { route }));
      const families = [...parseOpenMetrics(openMetricsText(snapshotOf(...series))).values()];
      const samples = families
        .flatMap((family) => family.samples)
        .map(({ labels, value: sum }) => [labels.get("route"), sum]);
      const inOrder = [...new Set(counts.map(([each]) => each))].flatMap((each) =>
        counts.filter(([other]) => other === each),
      );
      expect(samples).toEqual(inOrder.map(([, route, sum]) => [route, sum + 0]));
    }),
  );
});

test("what several processes counted adds up by name and labels", () => {
  const stores = [0, 1].map((at) => {
    const store = new MetricStore({ now: () => 10 + at });
    store.define({
      endpoints: [],
      metrics: [
        { kind: "counter", name: "placed", declaration: Counter("placed") },
        { kind: "histogram", name: "size", declaration: Histogram("size") },
      ],
    });
    store.add("placed", 2);
    store.observe("size", 4 + at);
    store.request("<unmatched>", 404 - 200 * at, 1);
    return store;
  });
  const { at, since, series } = mergeSnapshots(stores.map((store) => store.snapshot()));
  expect([at, since]).toEqual([11, 10]);
  expect(series).toMatchObject([
    { name: "placed", value: 4 },
    { name: "size", count: 2, sum: 9 },
    { name: "requests", labels: { status: "4xx" }, value: 1 },
    { name: "request_ms", count: 2 },
    { name: "requests", labels: { status: "2xx" }, value: 1 },
  ]);
  const [, size] = series;
  if (size?.kind !== "histogram") throw new Error("no histogram");
  expect(size.buckets.filter((count) => count > 0)).toEqual([2]);
  expect(size.atMost.at(-1)).toBe(2);
});
