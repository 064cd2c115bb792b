import { Fault } from "../declare/errors.ts";
import type { Application } from "../runtime/application.ts";
import { cronRoute } from "../runtime/observe/metrics/meter.ts";
import { bucketBounds, percentileOf } from "../runtime/observe/metrics/buckets.ts";
import type { HistogramSeries, MetricSeries } from "../runtime/observe/metrics/snapshot.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HistogramReading, MeasuredRoute, TestMetrics } from "./metrics.ts";

export function testMetrics(app: Application, store: MetricStore): TestMetrics {
  const seriesOf = (name: string, labels: Readonly<Record<string, string>> = {}): readonly MetricSeries[] =>
    store
      .snapshot()
      .series.filter(
        (series) =>
          series.name === name && Object.entries(labels).every(([label, value]) => series.labels[label] === value),
      );
  const seriesOfMetric = (declaration: object): readonly MetricSeries[] => {
    const metric = app.bundle.metrics?.find((candidate) => candidate.declaration === declaration);
    if (metric === undefined) throw new Fault("this metric is not part of the application of the test");
    return seriesOf(metric.name);
  };
  return {
    counter: (counter) => sumOf(seriesOfMetric(counter)),
    histogram: (histogram) => readingOf(seriesOfMetric(histogram)),
    requests: (of, { status } = {}) =>
      sumOf(seriesOf("requests", { route: routeOf(app, of), ...(status && { status }) })),
    requestMs: (of) => readingOf(seriesOf("request_ms", { route: routeOf(app, of) })),
    snapshot: () => store.snapshot(),
  };
}

function routeOf({ bundle }: Application, of: MeasuredRoute): string {
  if (typeof of === "string") return of;
  const { endpoints, crons = [], destinations = [] } = bundle;
  const endpoint = endpoints.find(({ declaration }) => declaration === of);
  if (endpoint !== undefined) return endpoint.route;
  const named = [...crons, ...destinations].find(({ declaration }) => declaration === of);
  if (named !== undefined) return cronRoute(named.name);
  throw new Fault("this endpoint, cron or job is not part of the application of the test");
}

function sumOf(series: readonly MetricSeries[]): number {
  return series.reduce((sum, one) => sum + (one.kind === "counter" ? one.value : one.count), 0);
}

const emptyHistogram: Pick<HistogramSeries, "count" | "sum" | "buckets"> = { count: 0, sum: 0, buckets: [] };

function readingOf(series: readonly MetricSeries[]): HistogramReading {
  const { count, sum, buckets } = series.find((one) => one.kind === "histogram") ?? emptyHistogram;
  const ranges = buckets.map((count, index) => ({
    from: index === 0 ? -Infinity : (bucketBounds[index - 1] ?? Infinity),
    to: bucketBounds[index] ?? Infinity,
    count: count,
  }));
  return {
    count,
    sum,
    buckets: ranges.filter((range) => range.count > 0),
    percentile: (q) => percentileOf(buckets, q),
  };
}
