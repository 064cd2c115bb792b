import { statusClasses } from "../../../lib/alert-rule.ts";
import { histogramLength, histogramOf, recordSample } from "./histogram.ts";
import type { MetricSeries } from "./snapshot.ts";
import { unmatched } from "./unmatched.ts";

/** Limit: routes, crons and jobs with separate metrics per process; others are counted together. */
const metricRoutes = 10_000;

/** The label for routes beyond `metricRoutes`. */
const otherRoutes = "<other>";

/** The length of a route's row: a count for each status class, followed by its histogram. */
const rowLength = statusClasses.length + histogramLength;

/**
 * The two metrics of every endpoint, cron and job: `requests`, a counter by route and status class, and `request_ms`, a
 * histogram by route. Rows for routes are allocated in advance, so counting a request takes four additions. Routes
 * beyond the limit share a row.
 */
export class RequestMetrics {
  /** Receives a warning when a route does not get its own row. */
  readonly #warn: (sentence: string) => void;
  readonly #mostRoutes: number;
  readonly #rows: Map<string, number> = new Map();
  #values: Float64Array = new Float64Array(0);

  constructor(warn: (sentence: string) => void, mostRoutes: number = metricRoutes) {
    this.#warn = warn;
    this.#mostRoutes = mostRoutes;
    this.reserve([otherRoutes, unmatched]);
  }

  /** Allocates rows for new routes, up to the limit. */
  reserve(routes: readonly string[]): void {
    const added = [...new Set(routes)].filter((route) => !this.#rows.has(route));
    const own = added.slice(0, Math.max(0, this.#mostRoutes + 2 - this.#rows.size));
    if (own.length === 0) return;
    const grown = new Float64Array(this.#values.length + own.length * rowLength);
    grown.set(this.#values);
    for (const [index, route] of own.entries()) this.#rows.set(route, this.#values.length + index * rowLength);
    this.#values = grown;
  }

  count(route: string, status: number, ms: number): void {
    const row = this.#rows.get(route) ?? this.#otherRow(route);
    const values = this.#values;
    const index = row + statusIndex(status);
    values[index] = (values[index] ?? 0) + 1;
    recordSample(values, row + statusClasses.length, ms);
  }

  /** Yields the series of routes that have had requests. */
  *series(): Iterable<MetricSeries> {
    for (const [route, row] of this.#rows) {
      const values = this.#values.subarray(row, row + rowLength);
      for (const [index, status] of statusClasses.entries()) {
        const value = values[index] ?? 0;
        if (value > 0) yield { name: "requests", kind: "counter", labels: { route, status }, value };
      }
      const histogram = histogramOf("request_ms", { route }, values.subarray(statusClasses.length));
      if (histogram.count > 0) yield histogram;
    }
  }

  #otherRow(route: string): number {
    this.#warn(
      `only ${this.#mostRoutes} routes have metrics of their own; others, such as ${route}, are counted together as ${otherRoutes}`,
    );
    return this.#rows.get(otherRoutes) ?? 0;
  }
}

function statusIndex(status: number): number {
  const index = Math.floor(status / 100) - 1;
  return index < 0 ? 0 : index > 4 ? 4 : index;
}
