import type { RequestLabels } from "../declare/alert.ts";
import type { CronDeclaration } from "../declare/cron.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { JobDeclaration } from "../declare/job.ts";
import type { CounterDeclaration, HistogramDeclaration } from "../declare/metric.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";

/** An endpoint, cron or job whose metrics a test reads, or "<unmatched>" for requests that match no endpoint. */
export type MeasuredRoute = EndpointDeclaration | CronDeclaration | JobDeclaration<unknown> | "<unmatched>";

/** The metrics of a test's application since its creation. */
export interface TestMetrics {
  /** Returns the sum of a counter. */
  counter(counter: CounterDeclaration): number;
  /** Returns the samples of a histogram. */
  histogram(histogram: HistogramDeclaration): HistogramReading;
  /** Counts responses, or runs of a cron or of a job's tasks. A run has the status `2xx` or `5xx`. */
  requests(of: MeasuredRoute, labels?: RequestLabels): number;
  /** Returns a histogram of request durations in milliseconds. */
  requestMs(of: MeasuredRoute): HistogramReading;
  /** Returns all metrics in their export format. */
  snapshot(): MetricSnapshot;
}

export interface HistogramReading {
  readonly count: number;
  readonly sum: number;
  /** The buckets with samples, lowest first. */
  readonly buckets: readonly HistogramBucket[];
  /**
   * Returns the `q` quantile of the samples (`percentile(0.95)`), estimated within its bucket; undefined without
   * samples.
   */
  percentile(q: number): number | undefined;
}

/** The number of samples in a half-open interval: `to` is exclusive. */
export interface HistogramBucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}
