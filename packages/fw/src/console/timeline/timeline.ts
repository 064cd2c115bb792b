import { roughBytes } from "../../lib/rough-bytes.ts";
import { BoundedList } from "../bounded-list.ts";
import type { MetricSeries, MetricSnapshot } from "../../runtime/observe/metrics/snapshot.ts";
import type { ProcessLoad } from "./process-load.ts";
import { StepHistory } from "./step-history.ts";

/** The maximum number of samples, which cover two hours, and the approximate limit of their total bytes. */
const sampleBounds = { entries: 1_440, bytes: 8_000_000 };

/** Milliseconds between two samples. */
export const sampleMs = 5_000;

/** The growth of all counts during an interval, and the state at its end. */
export interface TimelineSample {
  /** The end of the interval in milliseconds since 1970. */
  readonly at: number;
  /** The length of the interval in milliseconds. */
  readonly ms: number;
  /** The requests of each route that received any. */
  readonly routes: Readonly<Record<string, RouteSample>>;
  /** The growth of declared counters, and the number of new samples of declared histograms, by name. */
  readonly counts: Readonly<Record<string, number>>;
  readonly queues: readonly QueueSample[];
  /** Dead messages that no operator has replayed or dropped. */
  readonly dead: number;
  /** Deliveries that failed during the interval, by consumer. */
  readonly failures: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessLoad>>;
}

interface RouteSample {
  /** The number of responses by class, such as 2xx. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of durations in each bucket of the histogram (`bucketBounds`). */
  readonly buckets: readonly number[];
}

interface QueueSample {
  readonly name: string;
  readonly waiting: number;
  readonly inFlight: number;
  readonly retried: number;
  /** The age of the oldest message in milliseconds; 0 without messages. */
  readonly age: number;
}

export interface TimelineState extends Pick<TimelineSample, "queues" | "dead" | "failures" | "processes"> {
  readonly metrics: MetricSnapshot;
}

/** Samples of an application over time, bounded by number and bytes. */
export class Timeline {
  /** The queries and calls of the same time. */
  readonly steps: StepHistory = new StepHistory();
  readonly #samples = new BoundedList<TimelineSample>(sampleBounds, roughBytes);
  /**
   * The latest state of each series. Includes series missing from the latest report, because their totals may continue.
   */
  readonly #before = new Map<string, MetricSeries>();
  #at: number;

  /** `startedAt` is the time at which the application's processes started counting, in milliseconds since 1970. */
  constructor(startedAt: number) {
    this.#at = startedAt;
  }

  /** Adds a sample of the growth since the previous call, or since the start. */
  add({ metrics, ...state }: TimelineState): void {
    const { at } = metrics;
    // No process has answered: continue the interval.
    if (at === 0) return;
    const series = new Map(metrics.series.map((each) => [JSON.stringify([each.name, each.labels]), each]));
    if (at > this.#at) this.#samples.add({ at, ms: at - this.#at, ...growthOf(series, this.#before), ...state });
    for (const [key, each] of series) this.#before.set(key, each);
    this.#at = at;
  }

  /** Returns the samples that ended after an instant, oldest first. */
  since(at: number): readonly TimelineSample[] {
    return this.#samples.after(0).filter((sample) => sample.at > at);
  }
}

function growthOf(
  series: ReadonlyMap<string, MetricSeries>,
  before: ReadonlyMap<string, MetricSeries>,
): Pick<TimelineSample, "routes" | "counts"> {
  const routes: Record<string, { statuses: Record<string, number>; buckets: readonly number[] }> = {};
  const counts: Record<string, number> = {};
  for (const [key, each] of series) {
    const { route, status } = each.labels;
    const grown = growth(totalOf(each), before.get(key), totalOf);
    if (grown === 0) continue;
    if (route === undefined) {
      counts[each.name] = grown;
      continue;
    }
    const sample = (routes[route] ??= { statuses: {}, buckets: [] });
    if (each.kind === "counter") sample.statuses[String(status)] = grown;
    else sample.buckets = each.buckets.map((count, i) => growth(count, before.get(key), (old) => bucketOf(old, i)));
  }
  return { routes, counts };
}

function totalOf(series: MetricSeries): number {
  return series.kind === "counter" ? series.value : series.count;
}

function bucketOf(series: MetricSeries, index: number): number {
  return series.kind === "counter" ? 0 : (series.buckets[index] ?? 0);
}

/** Returns the growth of a total. A smaller total than before comes from a new process, which counts from zero. */
function growth(total: number, before: MetricSeries | undefined, read: (series: MetricSeries) => number): number {
  const old = before === undefined ? 0 : read(before);
  return total >= old ? total - old : total;
}
