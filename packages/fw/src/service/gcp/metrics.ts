import type { Cloud } from "../../platform/gcp/cloud.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import type {
  Distribution,
  Methods,
  TimeInterval,
  TimeSeries,
  TypedValue,
} from "../../platform/gcp/rest/generated/monitoring.ts";
import type { CloudLocation } from "../../platform/gcp/cloud-location.ts";
import { bucketBounds } from "../../runtime/observe/metrics/buckets.ts";
import type { MetricExporter } from "../../runtime/observe/metrics/flusher.ts";
import type { HistogramSeries, MetricSeries, MetricSnapshot } from "../../runtime/observe/metrics/snapshot.ts";

/** The maximum number of series in one call to Cloud Monitoring. */
const seriesOfCall = 200;

/**
 * The shortest interval between two points of a series, in milliseconds. Cloud Monitoring refuses points that end less
 * than 5 seconds after the previous one, and an instance has 10 seconds to shut down.
 */
const pointMs = 5_500;

/** The prefix of metric names in Cloud Monitoring and in its alerts. */
const metricPrefix = "custom.googleapis.com/";

interface MetricSource {
  readonly client: CloudClient;
  readonly place: CloudLocation;
  readonly instance: string;
  readonly revision: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Opens the exporter of this process. Rejects if the metadata server does not return the id of the instance. */
export async function openExporter({ client, clock, metadata }: Cloud, place: CloudLocation): Promise<MetricExporter> {
  return monitoringExporter({
    client,
    place,
    instance: await metadata("instance/id"),
    revision: process.env["K_REVISION"] ?? "",
    sleep: (milliseconds) => clock.sleep(milliseconds),
    now: () => performance.now(),
  });
}

/** Creates an exporter to Cloud Monitoring. It sends metrics as totals since the instance started. */
export function monitoringExporter(source: MetricSource): MetricExporter {
  const { client, place, sleep, now } = source;
  let lastSent = -Infinity;
  return {
    async export(snapshotNow) {
      const pause = lastSent + pointMs - now();
      if (pause > 0) await sleep(pause);
      lastSent = now();
      const snapshot = snapshotNow();
      const all = snapshot.series.map((series) => timeSeriesOf(series, snapshot, source));
      // Cloud Monitoring stores the other series of a call even if it refuses one.
      const results = await Promise.allSettled(
        callsOf(all).map((timeSeries) =>
          client.call({
            api: "monitoring",
            method: "POST",
            path: `/v3/projects/${place.project}/timeSeries`,
            body: { timeSeries } satisfies Methods["create"]["request"],
          }),
        ),
      );
      const failed = results.find((call) => call.status === "rejected");
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
  { place, instance, revision }: MetricSource,
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

/** Returns an interval that is not empty even if the clock was set back. */
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
    // Rounding can make the difference of two large sums negative.
    sumOfSquaredDeviation: Math.max(0, squares - mean * sum),
    bucketOptions: { exponentialBuckets: { numFiniteBuckets: bucketBounds.length - 1, growthFactor: 2, scale: 1 } },
    bucketCounts: buckets.map(String),
  };
}
