import { statusClasses } from "../../../lib/alert-rule.ts";
import { metricRoutes } from "../../../lib/limits.ts";
import { cronRoute, unmatched, type Measured, type Metrics } from "../meter.ts";
import { atMostBounds, bucketsOf, cellCount, cellOf } from "./buckets.ts";
import type { HistogramSeries, MetricSeries, MetricSnapshot } from "./snapshot.ts";

interface StoreOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Takes a sentence, once for what it is about. */
  readonly warn?: (sentence: string) => void;
  /** Routes with series of their own. */
  readonly mostRoutes?: number;
}

/** The route label of requests to routes beyond those that have series of their own. */
const others = "<other>";

/** What a route has: a number for each class of status, the cells of its histogram, and their sum. */
const rowLength = statusClasses.length + cellCount + 1;

/**
 * Counts in memory, from when the instance started. All series are there before the first request: a request is three additions to an
 * array that does not grow.
 */
export class MetricStore implements Metrics {
  readonly #now: () => number;
  readonly #warn: (sentence: string) => void;
  readonly #mostRoutes: number;
  readonly #since: number;
  readonly #counters: Map<string, Float64Array> = new Map();
  /** The cells, then the sum. */
  readonly #histograms: Map<string, Float64Array> = new Map();
  readonly #rows: Map<string, number> = new Map();
  #values: Float64Array = new Float64Array(0);
  readonly #told: Set<"route" | "name"> = new Set();

  constructor({ now = Date.now, warn = () => {}, mostRoutes = metricRoutes }: StoreOptions = {}) {
    this.#now = now;
    this.#warn = warn;
    this.#mostRoutes = mostRoutes;
    this.#since = now();
    this.#reserve([others, unmatched]);
  }

  /** What has been counted stays. */
  define({ endpoints, metrics = [], crons = [], consumers = [] }: Measured): void {
    for (const { kind, name } of metrics) {
      const all = kind === "counter" ? this.#counters : this.#histograms;
      if (!all.has(name)) all.set(name, new Float64Array(kind === "counter" ? 1 : cellCount + 1));
    }
    const runners = consumers.filter(({ kind }) => kind === "runner");
    this.#reserve([
      ...endpoints.map(({ route }) => route),
      ...crons.map(({ name }) => cronRoute(name)),
      ...runners.map(({ source }) => cronRoute(source.name)),
    ]);
  }

  add(counter: string, n: number): void {
    const values = this.#counters.get(counter);
    if (values === undefined) this.#undeclared(counter);
    else values[0] = finite((values[0] ?? 0) + n);
  }

  observe(histogram: string, sample: number): void {
    const values = this.#histograms.get(histogram);
    if (values === undefined) this.#undeclared(histogram);
    else record(values, 0, sample);
  }

  request(route: string, status: number, ms: number): void {
    const row = this.#rows.get(route) ?? this.#beyond(route);
    const values = this.#values;
    const place = row + statusIndex(status);
    values[place] = (values[place] ?? 0) + 1;
    record(values, row + statusClasses.length, ms);
  }

  /** Declared metrics are there from the start, the two automatic ones of a route from its first request on. */
  snapshot(): MetricSnapshot {
    return { at: this.#now(), since: this.#since, series: [...this.#declared(), ...this.#automatic()] };
  }

  *#declared(): Iterable<MetricSeries> {
    for (const [name, [value = 0]] of this.#counters) yield { name, kind: "counter", labels: {}, value };
    for (const [name, values] of this.#histograms) yield histogramOf(name, {}, values);
  }

  *#automatic(): Iterable<MetricSeries> {
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

  /** Makes room for routes that are not there yet, as far as there may be. */
  #reserve(routes: readonly string[]): void {
    const added = [...new Set(routes)].filter((route) => !this.#rows.has(route));
    const kept = added.slice(0, Math.max(0, this.#mostRoutes + 2 - this.#rows.size));
    if (kept.length === 0) return;
    const grown = new Float64Array(this.#values.length + kept.length * rowLength);
    grown.set(this.#values);
    for (const [index, route] of kept.entries()) this.#rows.set(route, this.#values.length + index * rowLength);
    this.#values = grown;
  }

  #beyond(route: string): number {
    this.#warnOnce(
      "route",
      `requests are counted apart for ${this.#mostRoutes} routes; those to others, such as ${route}, are counted together as ${others}`,
    );
    return this.#rows.get(others) ?? 0;
  }

  #undeclared(name: string): void {
    this.#warnOnce("name", `${name} is no metric that fw has read in the source, so its values are left out`);
  }

  #warnOnce(about: "route" | "name", sentence: string): void {
    if (this.#told.has(about)) return;
    this.#told.add(about);
    this.#warn(sentence);
  }
}

function statusIndex(status: number): number {
  const index = Math.floor(status / 100) - 1;
  return index < 0 ? 0 : index > 4 ? 4 : index;
}

/** Counts a sample in the cells that begin at `start`, and adds it to the sum behind them. */
function record(values: Float64Array, start: number, sample: number): void {
  const cell = start + cellOf(sample);
  values[cell] = (values[cell] ?? 0) + 1;
  values[start + cellCount] = finite((values[start + cellCount] ?? 0) + sample);
}

/** What can no longer be told from infinity stays the largest number that there is. */
function finite(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
}

function histogramOf(name: string, labels: Readonly<Record<string, string>>, values: Float64Array): HistogramSeries {
  const cells = values.subarray(0, cellCount);
  const count = cells.reduce((sum, each) => sum + each, 0);
  const sum = values[cellCount] ?? 0;
  return { name, kind: "histogram", labels, count, sum, buckets: bucketsOf(cells), atMost: atMostBounds(cells) };
}
