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

type Clock = Pick<Parameters<typeof monitoringExporter>[0], "sleep" | "now">;

interface Series {
  readonly metric: { readonly type: string; readonly labels: Readonly<Record<string, string>> };
  readonly valueType: string;
  readonly points: readonly { readonly interval: object; readonly value: object }[];
}

/** Creates an exporter that records its calls; those that `refuses` selects fail. */
function exporting(options: Partial<Clock> & { readonly refuses?: (call: number) => boolean } = {}) {
  const { refuses = () => false, sleep = async () => {}, now = () => 0 } = options;
  const calls: (readonly Series[])[] = [];
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
    sleep,
    now,
  });
  return { exporter, calls };
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
  await exporter.export(() => store.snapshot());
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
  await exporter.export(() => store.snapshot());
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
  const { exporter, calls } = exporting({ refuses: (call) => call === 1 });
  const store = storeOf(Array.from({ length: 401 }, (_, i) => ({ kind: "counter" as const, name: `c${i}` })));
  await expect(exporter.export(() => store.snapshot())).rejects.toThrow("one of the points was too early");
  expect(calls.map(({ length }) => length)).toEqual([200, 200, 1]);
});

test("the last export ends 5 seconds after the one before, and has what was counted while it waited", async () => {
  let time = 1_000;
  const store = new MetricStore({ now: () => time });
  store.define({ endpoints: [], metrics: [{ kind: "counter", name: "c" }] } as unknown as Parameters<
    MetricStore["define"]
  >[0]);
  const { exporter, calls } = exporting({
    now: () => time,
    sleep: async (milliseconds) => {
      time += milliseconds;
      store.add("c", 1);
    },
  });
  for (const next of [61_000, 121_000, 123_000]) {
    time = next;
    await exporter.export(() => store.snapshot());
  }
  const points = calls.map(([series]) => series?.points[0] as { interval: { endTime: string }; value: object });
  expect(points.map(({ interval }) => Date.parse(interval.endTime))).toEqual([61_000, 121_000, 126_500]);
  expect(points.at(-1)?.value).toEqual({ doubleValue: 1 });
});

test.each([
  [[80.3], 0],
  [[1, 3], 2],
  [[5, 5, 5], 0],
  [[0.1, 0.2, 262_144], 45_812_932_062],
])("the samples %j deviate from their mean by %d, squared and added up", async (samples, deviation) => {
  const { exporter, calls } = exporting();
  const store = storeOf([{ kind: "histogram", name: "h" }]);
  for (const sample of samples) store.observe("h", sample);
  await exporter.export(() => store.snapshot());
  const value = calls[0]?.[0]?.points[0]?.value as { distributionValue: { sumOfSquaredDeviation: number } };
  expect(value.distributionValue.sumOfSquaredDeviation).toBeCloseTo(deviation, -1);
  if (samples.length === 1) expect(value.distributionValue.sumOfSquaredDeviation).toBe(0);
});
