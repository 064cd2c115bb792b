import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import type {
  Distribution,
  Methods,
  TimeInterval,
  TimeSeries,
  TypedValue,
} from "../../platform/gcp/rest/generated/monitoring.ts";
import type { Place } from "../../platform/gcp/place.ts";
import { bucketBounds } from "../../runtime/observe/metrics/buckets.ts";
import type { MetricExporter } from "../../runtime/observe/metrics/flusher.ts";
import type { HistogramSeries, MetricSeries, MetricSnapshot } from "../../runtime/observe/metrics/snapshot.ts";

/** Series that one call of Cloud Monitoring takes. */
const seriesOfCall = 200;

/**
 * Milliseconds between two points of a series, at least: Cloud Monitoring refuses points that end less than 5 seconds
 * apart. An instance has 10 seconds to end in.
 */
const pointMs = 5_500;

/** Before the names of metrics, there and in alerts. */
const metricPrefix = "custom.googleapis.com/";

/** What exports metrics for a process. */
interface Exported {
  readonly client: CloudClient;
  readonly place: Place;
  /** Of the process: the instance of the service, and its revision. */
  readonly instance: string;
  readonly revision: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds, on a clock that only goes forward. */
  readonly now: () => number;
}

/** Sends metrics to Cloud Monitoring, as sums since the instance started. */
export function monitoringExporter(exported: Exported): MetricExporter {
  const { client, place, sleep, now } = exported;
  let lastSent = -Infinity;
  return {
    async export(take) {
      const early = lastSent + pointMs - now();
      if (early > 0) await sleep(early);
      lastSent = now();
      const snapshot = take();
      const all = snapshot.series.map((series) => timeSeriesOf(series, snapshot, exported));
      // One that is refused, of whatever metric, leaves the others of its call as they are.
      const sent = await Promise.allSettled(
        callsOf(all).map((timeSeries) =>
          client.call({
            api: "monitoring",
            method: "POST",
            path: `/v3/projects/${place.project}/timeSeries`,
            body: { timeSeries } satisfies Methods["create"]["request"],
          }),
        ),
      );
      const failed = sent.find((call) => call.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

function callsOf(series: readonly TimeSeries[]): readonly (readonly TimeSeries[])[] {
  const calls = Math.ceil(series.length / seriesOfCall);
  return Array.from({ length: calls }, (_, call) => series.slice(call * seriesOfCall, (call + 1) * seriesOfCall));
}

function timeSeriesOf(
  series: MetricSeries,
  { at, since }: MetricSnapshot,
  { place, instance, revision }: Exported,
): TimeSeries {
  const { project, region, app, env, service } = place;
  return {
    metric: { type: metricPrefix + series.name, labels: { ...series.labels, revision } },
    resource: {
      type: "generic_task",
      labels: {
        project_id: project,
        location: region,
        namespace: `${app}-${env}`,
        job: service,
        task_id: instance,
      },
    },
    metricKind: "CUMULATIVE",
    valueType: series.kind === "counter" ? "DOUBLE" : "DISTRIBUTION",
    points: [{ interval: intervalOf(since, at), value: valueOf(series) }],
  };
}

/** Its end comes after its start, also on a clock that was set back. */
function intervalOf(since: number, at: number): TimeInterval {
  return { startTime: new Date(since).toISOString(), endTime: new Date(Math.max(at, since + 1)).toISOString() };
}

function valueOf(series: MetricSeries): TypedValue {
  return series.kind === "counter" ? { doubleValue: series.value } : { distributionValue: distributionOf(series) };
}

function distributionOf(series: HistogramSeries): Distribution {
  const { count, sum, squares, buckets } = series;
  const mean = count === 0 ? 0 : sum / count;
  return {
    count: String(count),
    mean,
    // Rounding takes the difference of two large sums below 0.
    sumOfSquaredDeviation: Math.max(0, squares - mean * sum),
    bucketOptions: { exponentialBuckets: { numFiniteBuckets: bucketBounds.length - 1, growthFactor: 2, scale: 1 } },
    bucketCounts: buckets.map(String),
  };
}
