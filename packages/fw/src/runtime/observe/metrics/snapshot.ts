/** The metrics at an instant. Every value is a total since `since`, the start of the instance. */
export interface MetricSnapshot {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly since: number;
  readonly series: readonly MetricSeries[];
}

/** One metric with one set of labels. */
export type MetricSeries = CounterSeries | HistogramSeries;

interface SeriesLabels {
  /** The declared name, or `requests`, `request_ms` or `misfits`. */
  readonly name: string;
  /** `route` and `status` for `requests`, `route` for `request_ms`, `of` for `misfits`; empty otherwise. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface CounterSeries extends SeriesLabels {
  readonly kind: "counter";
  readonly value: number;
}

export interface HistogramSeries extends SeriesLabels {
  readonly kind: "histogram";
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
  /** The number of samples in each bucket (`bucketBounds`), from the underflow to the overflow. */
  readonly buckets: readonly number[];
  /** The number of samples at or below each of `bucketBounds`. */
  readonly atMost: readonly number[];
}
