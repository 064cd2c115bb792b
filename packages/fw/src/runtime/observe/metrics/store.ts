import { usesMetrics } from "../../capabilities.ts";
import type { MeasuredBundle, Metrics } from "./metrics.ts";
import { cronRoute } from "./meter.ts";
import { clampFinite, histogramLength, histogramOf, recordSample } from "./histogram.ts";
import { RequestMetrics } from "./request-metrics.ts";
import type { MetricSeries, MetricSnapshot } from "./snapshot.ts";

interface StoreOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called at most once for each kind of warning. */
  readonly warn?: (sentence: string) => void;
  /** The maximum number of routes with separate series. */
  readonly mostRoutes?: number;
}

/**
 * Counts in memory from the start of the instance. The series of routes and declared metrics are allocated in advance,
 * so counting a request takes four additions.
 */
export class MetricStore implements Metrics {
  readonly #now: () => number;
  readonly #warn: (sentence: string) => void;
  readonly #since: number;
  readonly #counters: Map<string, Float64Array> = new Map();
  readonly #histograms: Map<string, Float64Array> = new Map();
  readonly #requests: RequestMetrics;
  /** Keyed by the kind and name of the entity, queue, topic, job or event. */
  readonly #misfits: Map<string, number> = new Map();
  readonly #warned: Set<"route" | "name"> = new Set();

  constructor({ now = Date.now, warn = () => {}, mostRoutes }: StoreOptions = {}) {
    this.#now = now;
    this.#warn = warn;
    this.#since = now();
    this.#requests = new RequestMetrics((sentence) => this.#warnOnce("route", sentence), mostRoutes);
  }

  /** Adds the metrics of an application. Keeps existing counts. */
  define({ endpoints, metrics = [], crons = [], consumers = [] }: MeasuredBundle): void {
    if (usesMetrics) {
      for (const { kind, name } of metrics) {
        const all = kind === "counter" ? this.#counters : this.#histograms;
        if (!all.has(name)) all.set(name, new Float64Array(kind === "counter" ? 1 : histogramLength));
      }
    }
    const runners = consumers.filter(({ kind }) => kind === "runner");
    this.#requests.reserve([
      ...endpoints.map(({ route }) => route),
      ...crons.map(({ name }) => cronRoute(name)),
      ...runners.map(({ source }) => cronRoute(source.name)),
    ]);
  }

  add(counter: string, n: number): void {
    if (!usesMetrics) return;
    const values = this.#counters.get(counter);
    if (values === undefined) this.#undeclared(counter);
    else values[0] = clampFinite((values[0] ?? 0) + n);
  }

  observe(histogram: string, sample: number): void {
    if (!usesMetrics) return;
    const values = this.#histograms.get(histogram);
    if (values === undefined) this.#undeclared(histogram);
    else recordSample(values, 0, sample);
  }

  request(route: string, status: number, ms: number): void {
    this.#requests.count(route, status, ms);
  }

  misfit({ kind, name }: { readonly kind: string; readonly name: string }): void {
    const of = `${kind} ${name}`;
    this.#misfits.set(of, (this.#misfits.get(of) ?? 0) + 1);
  }

  /** Returns all counts. Declared metrics are always present, and automatic ones once they have been counted. */
  snapshot(): MetricSnapshot {
    const declared = usesMetrics ? declaredSeries(this.#counters, this.#histograms) : [];
    const series = [...declared, ...this.#requests.series(), ...misfitSeries(this.#misfits)];
    return { at: this.#now(), since: this.#since, series };
  }

  #undeclared(name: string): void {
    this.#warnOnce("name", `${name} is not a metric that fw found in the source; its values were ignored`);
  }

  #warnOnce(about: "route" | "name", sentence: string): void {
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    this.#warn(sentence);
  }
}

function* declaredSeries(
  counters: ReadonlyMap<string, Float64Array>,
  histograms: ReadonlyMap<string, Float64Array>,
): Iterable<MetricSeries> {
  for (const [name, [value = 0]] of counters) yield { name, kind: "counter", labels: {}, value };
  for (const [name, values] of histograms) yield histogramOf(name, {}, values);
}

function* misfitSeries(misfits: ReadonlyMap<string, number>): Iterable<MetricSeries> {
  for (const [of, value] of misfits) yield { name: "misfits", kind: "counter", labels: { of }, value };
}
