import type { Series } from "./alert-rule.ts";

/** A chart of a production dashboard, independent of the program that draws it. */
export interface MetricChart {
  readonly title: string;
  readonly unit: ChartUnit;
  readonly description?: string;
  readonly lines: readonly ChartLine[];
}

/** `share` is a fraction between 0 and 1. */
export type ChartUnit = "requests" | "events" | "share" | "ms" | "bytes" | "values";

/** The lines of a chart: a single line with a legend, or one for each value of the label `by`. */
export type ChartLine =
  /** Events per second. */
  (
    | { readonly kind: "rate"; readonly of: Series }
    /** `of` divided by `to`. */
    | { readonly kind: "ratio"; readonly of: Series; readonly to: Series }
    | { readonly kind: "quantile"; readonly of: Series; readonly quantile: number }
  ) &
    ({ readonly by: string; readonly legend?: never } | { readonly by?: never; readonly legend: string });

const quantiles = [0.5, 0.95, 0.99] as const;

const requests = counterSeries("requests");
const serverErrors: Series = { ...requests, labels: { status: "5xx" } };
const durations = histogramSeries("request_ms");

/** Returns charts for an application's requests and for every counter and histogram that it declares. */
export function metricCharts(counters: readonly string[], histograms: readonly string[]): readonly MetricChart[] {
  return [
    ...requestCharts,
    ...counters.map((name): MetricChart => ({
      title: name,
      unit: "events",
      lines: [{ kind: "rate", of: counterSeries(name), legend: name }],
    })),
    ...histograms.map((name): MetricChart => ({
      title: name,
      unit: name.endsWith("_ms") ? "ms" : name.endsWith("_bytes") ? "bytes" : "values",
      lines: quantileLines(histogramSeries(name)),
    })),
  ];
}

const requestCharts: readonly MetricChart[] = [
  {
    title: "Requests by route",
    unit: "requests",
    description: "Completed requests, cron runs and job task runs, per second.",
    lines: [{ kind: "rate", of: requests, by: "route" }],
  },
  {
    title: "Server errors",
    unit: "share",
    description: "The share of requests with a 5xx response.",
    lines: [{ kind: "ratio", of: serverErrors, to: requests, by: "route" }],
  },
  { title: "Duration", unit: "ms", lines: quantileLines(durations) },
  {
    title: "95th percentile by route",
    unit: "ms",
    lines: [{ kind: "quantile", quantile: 0.95, of: durations, by: "route" }],
  },
];

function quantileLines(of: Series): readonly ChartLine[] {
  return quantiles.map((quantile) => ({ kind: "quantile", quantile, of, legend: `p${100 * quantile}` }));
}

function counterSeries(metric: string): Series {
  return { metric, kind: "counter", labels: {} };
}

function histogramSeries(metric: string): Series {
  return { metric, kind: "histogram", labels: {} };
}
