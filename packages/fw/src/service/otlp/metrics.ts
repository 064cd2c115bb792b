import { bucketBounds } from "../../runtime/observe/metrics/buckets.ts";
import type { MetricExporter } from "../../runtime/observe/metrics/flusher.ts";
import type { HistogramSeries, MetricSeries, MetricSnapshot } from "../../runtime/observe/metrics/snapshot.ts";
import type { Exporter } from "./packages.ts";
import { hrTime, scope, type Resource } from "./resource.ts";

/** Constants from the OpenTelemetry packages. */
const cumulative = 1;
const pointType = { histogram: 0, counter: 3 } as const;
const double = 1;

export function metricExporter(exporter: Exporter<object>, resource: Resource): MetricExporter {
  return {
    export: (snapshotNow) =>
      new Promise((resolve, reject) => {
        exporter.export(resourceMetrics(snapshotNow(), resource), ({ code, error }) =>
          code === 0 ? resolve() : reject(error ?? new Error("the collector did not accept them")),
        );
      }),
  };
}

function resourceMetrics({ at, since, series }: MetricSnapshot, resource: Resource): object {
  const times = { startTime: hrTime(since), endTime: hrTime(at) };
  const metrics = new Map<string, { readonly dataPoints: object[] }>();
  for (const seriesItem of series) {
    const metric = metrics.get(seriesItem.name) ?? { ...descriptionOf(seriesItem), dataPoints: [] };
    metric.dataPoints.push({ ...times, attributes: seriesItem.labels, value: valueOf(seriesItem) });
    metrics.set(seriesItem.name, metric);
  }
  return { resource, scopeMetrics: [{ scope, metrics: [...metrics.values()] }] };
}

function descriptionOf({ name, kind }: MetricSeries): object {
  return {
    descriptor: {
      name,
      description: "",
      unit: name === "request_ms" ? "ms" : "",
      type: kind.toUpperCase(),
      valueType: double,
      advice: {},
    },
    aggregationTemporality: cumulative,
    dataPointType: pointType[kind],
    ...(kind === "counter" && { isMonotonic: true }),
  };
}

function valueOf(series: MetricSeries): unknown {
  return series.kind === "counter" ? series.value : histogramOf(series);
}

/** Converts a histogram: in OpenTelemetry, a bucket includes its upper bound. */
function histogramOf({ count, sum, atMost }: HistogramSeries): object {
  const counts = [...atMost, count].map((until, index) => until - (index === 0 ? 0 : (atMost[index - 1] ?? 0)));
  return { buckets: { boundaries: bucketBounds, counts }, sum, count, hasMinMax: false };
}
