/** What was measured up to an instant: every value is the sum since `since`, when the instance started. */
export interface MetricSnapshot {
  /** Milliseconds since 1970, on the clock of the application's platform. */
  readonly at: number;
  readonly since: number;
  readonly series: readonly MetricSeries[];
}

/** One metric with one set of labels. */
export type MetricSeries = CounterSeries | HistogramSeries;

interface Named {
  /** The declared name, or `requests` and `request_ms`. */
  readonly name: string;
  /** None for declared metrics; `route`, and for `requests` also `status`, for the automatic ones. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface CounterSeries extends Named {
  readonly kind: "counter";
  readonly value: number;
}

export interface HistogramSeries extends Named {
  readonly kind: "histogram";
  readonly count: number;
  readonly sum: number;
  /** The sum of the squares of the samples. */
  readonly squares: number;
  /** How many samples each bucket has (`bucketBounds`): the first is the underflow, the last the overflow. */
  readonly buckets: readonly number[];
  /** How many samples are at each of `bucketBounds` or below it. */
  readonly atMost: readonly number[];
}
