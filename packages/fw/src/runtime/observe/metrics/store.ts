import type { Measured, Metrics } from "./metrics.ts";
import { cronRoute } from "./request-metrics.ts";
import { finite, histogramLength, histogramOf, record } from "./histogram.ts";
import { RequestMetrics } from "./request-metrics.ts";
import type { MetricSeries, MetricSnapshot } from "./snapshot.ts";

interface StoreOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Takes a sentence, once for what it is about. */
  readonly warn?: (sentence: string) => void;
  /** Routes with series of their own. */
  readonly mostRoutes?: number;
}

/**
 * Counts in memory, from when the instance started. All series are there before the first request: a request is three additions to an
 * array that does not grow.
 */
export class MetricStore implements Metrics {
  readonly #now: () => number;
  readonly #warn: (sentence: string) => void;
  readonly #since: number;
  readonly #counters: Map<string, Float64Array> = new Map();
  readonly #histograms: Map<string, Float64Array> = new Map();
  readonly #requests: RequestMetrics;
  readonly #told: Set<"route" | "name"> = new Set();

  constructor({ now = Date.now, warn = () => {}, mostRoutes }: StoreOptions = {}) {
    this.#now = now;
    this.#warn = warn;
    this.#since = now();
    this.#requests = new RequestMetrics((sentence) => this.#warnOnce("route", sentence), mostRoutes);
  }

  /** What has been counted stays. */
  define({ endpoints, metrics = [], crons = [], consumers = [] }: Measured): void {
    for (const { kind, name } of metrics) {
      const all = kind === "counter" ? this.#counters : this.#histograms;
      if (!all.has(name)) all.set(name, new Float64Array(kind === "counter" ? 1 : histogramLength));
    }
    const runners = consumers.filter(({ kind }) => kind === "runner");
    this.#requests.reserve([
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
    this.#requests.count(route, status, ms);
  }

  /** Declared metrics are there from the start, the two automatic ones of a route from its first request on. */
  snapshot(): MetricSnapshot {
    return { at: this.#now(), since: this.#since, series: [...this.#declared(), ...this.#requests.series()] };
  }

  *#declared(): Iterable<MetricSeries> {
    for (const [name, [value = 0]] of this.#counters) yield { name, kind: "counter", labels: {}, value };
    for (const [name, values] of this.#histograms) yield histogramOf(name, {}, values);
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
