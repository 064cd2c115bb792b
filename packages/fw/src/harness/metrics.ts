import type { RequestLabels } from "../declare/alert.ts";
import type { CronDeclaration } from "../declare/cron.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { JobDeclaration } from "../declare/job.ts";
import type { CounterDeclaration, HistogramDeclaration } from "../declare/metric.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";

/** What requests are counted of: an endpoint, a cron or a job; "<unmatched>" for those that none of them answers. */
export type MeasuredRoute = EndpointDeclaration | CronDeclaration | JobDeclaration<unknown> | "<unmatched>";

/** What the application of a test has counted since it was made. */
export interface TestMetrics {
  /** The sum of what was added to a counter. */
  counter(counter: CounterDeclaration): number;
  /** What a histogram has of its samples. */
  histogram(histogram: HistogramDeclaration): HistogramReading;
  /** Requests that were answered, and runs of a cron or of a job's tasks, which are `2xx` or `5xx`. */
  requests(of: MeasuredRoute, labels?: RequestLabels): number;
  /** How many milliseconds they took. */
  requestMs(of: MeasuredRoute): HistogramReading;
  /** Everything, as it is exported. */
  snapshot(): MetricSnapshot;
}

export interface HistogramReading {
  readonly count: number;
  readonly sum: number;
  /** Those that have samples, the lowest first. */
  readonly buckets: readonly HistogramBucket[];
  /** The value below which the share `q` of the samples is (`percentile(0.95)`), estimated within its bucket; undefined without samples. */
  percentile(q: number): number | undefined;
}

/** The samples from one bound to below another. */
export interface HistogramBucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}
