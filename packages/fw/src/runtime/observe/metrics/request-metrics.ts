import { statusClasses } from "../../../lib/alert-rule.ts";
import { metricRoutes } from "../../../lib/limits.ts";
import { histogramLength, histogramOf, record } from "./histogram.ts";
import type { Metrics } from "./metrics.ts";
import type { MetricSeries } from "./snapshot.ts";

/** The route label of a request that no declared route answers. */
export const unmatched = "<unmatched>";

/** The route label of a cron or a job. */
export function cronRoute(name: string): string {
  return `/_fw/api/cron/${name}`;
}

/** The route label of requests to routes beyond those that have series of their own. */
const others = "<other>";

/** What a route has: a number for each class of status, then its histogram. */
const rowLength = statusClasses.length + histogramLength;

/**
 * The two metrics that every endpoint, cron and job has: `requests`, a counter of route and class of status, and `request_ms`, a histogram of
 * route. All of them are there before the first request: a request is three additions to an array that does not grow.
 */
export class RequestMetrics {
  /** Told of a route beyond those that have series of their own. */
  readonly #beyond: (sentence: string) => void;
  readonly #mostRoutes: number;
  readonly #rows: Map<string, number> = new Map();
  #values: Float64Array = new Float64Array(0);

  constructor(beyond: (sentence: string) => void, mostRoutes: number = metricRoutes) {
    this.#beyond = beyond;
    this.#mostRoutes = mostRoutes;
    this.reserve([others, unmatched]);
  }

  /** Makes room for routes that are not there yet, as far as there may be. */
  reserve(routes: readonly string[]): void {
    const added = [...new Set(routes)].filter((route) => !this.#rows.has(route));
    const kept = added.slice(0, Math.max(0, this.#mostRoutes + 2 - this.#rows.size));
    if (kept.length === 0) return;
    const grown = new Float64Array(this.#values.length + kept.length * rowLength);
    grown.set(this.#values);
    for (const [index, route] of kept.entries()) this.#rows.set(route, this.#values.length + index * rowLength);
    this.#values = grown;
  }

  count(route: string, status: number, ms: number): void {
    const row = this.#rows.get(route) ?? this.#rowOfOthers(route);
    const values = this.#values;
    const place = row + statusIndex(status);
    values[place] = (values[place] ?? 0) + 1;
    record(values, row + statusClasses.length, ms);
  }

  /** Those of a route are there from its first request on. */
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

  #rowOfOthers(route: string): number {
    this.#beyond(
      `requests are counted apart for ${this.#mostRoutes} routes; those to others, such as ${route}, are counted together as ${others}`,
    );
    return this.#rows.get(others) ?? 0;
  }
}

function statusIndex(status: number): number {
  const index = Math.floor(status / 100) - 1;
  return index < 0 ? 0 : index > 4 ? 4 : index;
}

/** Begins to measure what is counted as a request of a route; to be called with its status when it is over, and counts once. */
export function meter(metrics: Pick<Metrics, "request"> | undefined, route: string): (status: number) => void {
  const started = performance.now();
  let over = false;
  return (status) => {
    if (!over) metrics?.request(route, status, performance.now() - started);
    over = true;
  };
}
