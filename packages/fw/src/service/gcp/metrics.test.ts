import { expect, test } from "vitest";
import type { CloudClient, CloudRequest } from "../../platform/gcp/rest/client.ts";
import { MetricStore } from "../../runtime/observe/metrics/store.ts";
import { monitoringExporter } from "./metrics.ts";

const place = {
  app: "shop",
  env: "prod",
  service: "orders",
  project: "demo",
  projectNumber: "1",
  region: "europe-west1",
  database: "shop-prod",
};

interface Series {
  readonly metric: { readonly type: string; readonly labels: Readonly<Record<string, string>> };
  readonly valueType: string;
  readonly points: readonly { readonly interval: object; readonly value: object }[];
}

/** An exporter whose calls, and pauses, are noted; the calls that `refuses` says fail. */
function exporting(refuses: (call: number) => boolean = () => false) {
  const calls: (readonly Series[])[] = [];
  const pauses: number[] = [];
  let time = 0;
  const call = async (request: CloudRequest): Promise<unknown> => {
    expect(request).toMatchObject({ api: "monitoring", method: "POST", path: "/v3/projects/demo/timeSeries" });
    calls.push((request.body as { timeSeries: readonly Series[] }).timeSeries);
    if (refuses(calls.length)) throw new Error("one of the points was too early");
    return {};
  };
  const exporter = monitoringExporter({
    client: { call, open: call, close: async () => {} } as unknown as CloudClient,
    place,
    instance: "i-1",
    revision: "orders-00007",
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    now: () => time,
  });
  return { exporter, calls, pauses, at: (next: number) => (time = next) };
}

function storeOf(metrics: readonly { kind: "counter" | "histogram"; name: string }[]): MetricStore {
  let now = 1_000;
  const store = new MetricStore({ now: () => (now += 60_000) });
  store.define({ endpoints: [], metrics } as unknown as Parameters<MetricStore["define"]>[0]);
  return store;
}

test("metrics are sums since the instance started, under their names, of the service, instance and revision", async () => {
  const { exporter, calls } = exporting();
  const store = storeOf([{ kind: "counter", name: "orders_placed" }]);
  store.add("orders_placed", 2.5);
  store.request("<unmatched>", 404, 3);
  await exporter.export(store.snapshot());
  const interval = { startTime: "1970-01-01T00:01:01.000Z", endTime: "1970-01-01T00:02:01.000Z" };
  const resource = {
    type: "generic_task",
    labels: { project_id: "demo", location: "europe-west1", namespace: "shop-prod", job: "orders", task_id: "i-1" },
  };
  const series = { resource, metricKind: "CUMULATIVE" };
  const revision = "orders-00007";
  expect(calls).toEqual([
    [
      {
        ...series,
        metric: { type: "custom.googleapis.com/orders_placed", labels: { revision } },
        valueType: "DOUBLE",
        points: [{ interval, value: { doubleValue: 2.5 } }],
      },
      {
        ...series,
        metric: {
          type: "custom.googleapis.com/requests",
          labels: { route: "<unmatched>", status: "4xx", revision },
        },
        valueType: "DOUBLE",
        points: [{ interval, value: { doubleValue: 1 } }],
      },
      expect.objectContaining({
        metric: { type: "custom.googleapis.com/request_ms", labels: { route: "<unmatched>", revision } },
        valueType: "DISTRIBUTION",
      }),
    ],
  ]);
});

test("a histogram's buckets double from 1 to 262144, with one below and one above", async () => {
  const { exporter, calls } = exporting();
  const store = storeOf([{ kind: "histogram", name: "order_value" }]);
  for (const sample of [0.5, 1, 3, 262_144, 300_000]) store.observe("order_value", sample);
  await exporter.export(store.snapshot());
  const counts = ["1", "1", "1", ...Array.from({ length: 15 }, () => "0"), "1", "1"];
  expect(calls[0]?.[0]?.points[0]?.value).toEqual({
    distributionValue: {
      count: "5",
      mean: (0.5 + 1 + 3 + 262_144 + 300_000) / 5,
      sumOfSquaredDeviation: expect.any(Number),
      bucketOptions: { exponentialBuckets: { numFiniteBuckets: 18, growthFactor: 2, scale: 1 } },
      bucketCounts: counts,
    },
  });
});

test("a call has at most 200 series, and one that is refused leaves the others", async () => {
  const { exporter, calls } = exporting((call) => call === 1);
  const store = storeOf(Array.from({ length: 401 }, (_, i) => ({ kind: "counter" as const, name: `c${i}` })));
  await expect(exporter.export(store.snapshot())).rejects.toThrow("one of the points was too early");
  expect(calls.map(({ length }) => length)).toEqual([200, 200, 1]);
});

test("the last export waits until its points are not too close to those before", async () => {
  const { exporter, pauses, at } = exporting();
  const store = storeOf([{ kind: "counter", name: "c" }]);
  await exporter.export(store.snapshot());
  at(60_000);
  await exporter.export(store.snapshot());
  at(62_000);
  await exporter.export(store.snapshot());
  expect(pauses).toEqual([4_000]);
});
