import { bucketBounds } from "../../runtime/observe/metrics/buckets.ts";
import type { TimelineSample } from "./timeline.ts";

const maxPoints = 180;

export interface ChartQuery {
  /** The length of the range in milliseconds. */
  readonly range: number;
  /** The routes to include; absent for all routes. */
  readonly routes?: ReadonlySet<string>;
}

/** The data of the charts. Each list has one value per interval, or null for an interval without data. */
export interface ChartData {
  /** The end of each interval, in seconds since 1970. */
  readonly times: readonly number[];
  /** The length of an interval in seconds. */
  readonly step: number;
  /** Requests per second. */
  readonly rate: readonly (number | null)[];
  /** The share of 5xx responses. */
  readonly errors: readonly (number | null)[];
  /** The number of requests that the rates and percentiles are computed from. */
  readonly samples: readonly number[];
  /** The number of requests in each bucket of the histogram, by interval; empty for an interval without requests. */
  readonly latencies: readonly (readonly number[])[];
  /** The upper bounds of these buckets in milliseconds; the last bucket has none. */
  readonly bounds: readonly number[];
  readonly percentiles: Readonly<Record<"p50" | "p95" | "p99", readonly (DurationRange | null)[]>>;
  readonly queues: Readonly<Record<string, QueueChart>>;
  readonly dead: readonly (number | null)[];
  readonly failures: Readonly<Record<string, readonly number[]>>;
  /** The numbers of successful and failed runs of crons and jobs, by name. */
  readonly runs: Readonly<
    Record<string, { readonly completed: readonly number[]; readonly failed: readonly number[] }>
  >;
  readonly processes: Readonly<Record<string, ProcessChart>>;
  /** The growth of declared counters and histograms. */
  readonly counts: Readonly<Record<string, readonly number[]>>;
}

interface QueueChart {
  readonly depth: readonly (number | null)[];
  /** The age of the oldest message, in seconds. */
  readonly age: readonly (number | null)[];
}

interface ProcessChart {
  /** Megabytes. */
  readonly memory: readonly (number | null)[];
  /** Milliseconds. */
  readonly delay: readonly (number | null)[];
}

/** The two histogram bounds, in milliseconds, between which a duration lies. A histogram is not more precise. */
interface DurationRange {
  readonly from: number;
  /** Absent for durations above the highest bound. */
  readonly to?: number;
}

const cronRoutes = "/_fw/api/cron/";

/** Merges samples into no more points than a chart can show. */
export function chartData(samples: readonly TimelineSample[], now: number, { range, routes }: ChartQuery): ChartData {
  const step = Math.max(5_000, Math.ceil(range / maxPoints / 5_000) * 5_000);
  const end = Math.ceil(now / step) * step;
  const count = Math.ceil(range / step);
  const slots = Array.from({ length: count }, (): TimelineSample[] => []);
  for (const sample of samples) slots[Math.ceil((sample.at - end) / step) + count - 1]?.push(sample);
  const requests = slots.map((slot) => requestsIn(slot, routes));
  const percentile = (q: number): (DurationRange | null)[] => requests.map(({ buckets }) => rangeOf(buckets, q));
  return {
    times: slots.map((_, i) => (end - (count - 1 - i) * step) / 1_000),
    step: step / 1_000,
    rate: requests.map(({ count: total }, i) => rateOf(total, slots[i] ?? [])),
    errors: requests.map(({ count: total, failed }) => (total === 0 ? null : failed / total)),
    samples: requests.map(({ count: total }) => total),
    latencies: requests.map(({ count: total, buckets }) => (total === 0 ? [] : buckets)),
    bounds: bucketBounds,
    percentiles: { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) },
    dead: slots.map((slot) => slot.at(-1)?.dead ?? null),
    failures: byName(
      slots,
      ({ failures }) => Object.keys(failures),
      (all, name) => sums(all, ({ failures }) => failures[name]),
    ),
    queues: byName(slots, ({ queues }) => queues.map(({ name }) => name), queueChart),
    runs: byName(slots, cronsIn, runChart),
    processes: byName(slots, ({ processes }) => Object.keys(processes), processChart),
    counts: byName(
      slots,
      ({ counts }) => Object.keys(counts),
      (all, name) => sums(all, ({ counts }) => counts[name]),
    ),
  };
}

interface RequestTotals {
  count: number;
  failed: number;
  readonly buckets: number[];
}

/** Adds up the requests in samples, without runs of crons and jobs. */
function requestsIn(samples: readonly TimelineSample[], routes: ReadonlySet<string> | undefined): RequestTotals {
  const totals: RequestTotals = {
    count: 0,
    failed: 0,
    buckets: Array.from({ length: bucketBounds.length + 1 }, () => 0),
  };
  for (const [route, { statuses, buckets }] of samples.flatMap((sample) => Object.entries(sample.routes))) {
    if (route.startsWith(cronRoutes) || routes?.has(route) === false) continue;
    for (const [status, number] of Object.entries(statuses)) {
      totals.count += number;
      if (status.startsWith("5")) totals.failed += number;
    }
    for (const [i, number] of buckets.entries()) totals.buckets[i] = (totals.buckets[i] ?? 0) + number;
  }
  return totals;
}

function rateOf(total: number, samples: readonly TimelineSample[]): number | null {
  const ms = samples.reduce((sum, sample) => sum + sample.ms, 0);
  return ms === 0 ? null : (total * 1_000) / ms;
}

/** Returns the bounds of the bucket that contains a percentile; null without durations. */
export function rangeOf(
  buckets: readonly number[],
  q: number,
  bounds: readonly number[] = bucketBounds,
): DurationRange | null {
  const count = buckets.reduce((sum, number) => sum + number, 0);
  if (count === 0) return null;
  let rank = Math.ceil(q * count);
  const index = buckets.findIndex((number) => (rank -= number) <= 0);
  const to = bounds[index];
  return { from: index === 0 ? 0 : (bounds[index - 1] ?? 0), ...(to !== undefined && { to }) };
}

type Slots = readonly (readonly TimelineSample[])[];

function byName<Chart>(
  slots: Slots,
  namesOf: (sample: TimelineSample) => readonly string[],
  chart: (slots: Slots, name: string) => Chart,
): Readonly<Record<string, Chart>> {
  const names = new Set(slots.flatMap((slot) => slot.flatMap(namesOf)));
  return Object.fromEntries([...names].toSorted().map((name) => [name, chart(slots, name)]));
}

function queueChart(slots: Slots, name: string): QueueChart {
  const states = slots.map((slot) => slot.at(-1)?.queues.find((queue) => queue.name === name));
  return {
    depth: states.map((state) => state?.waiting ?? null),
    age: states.map((state) => (state === undefined ? null : state.age / 1_000)),
  };
}

function processChart(slots: Slots, name: string): ProcessChart {
  const loads = slots.map((slot) => slot.flatMap(({ processes }) => processes[name] ?? []));
  return {
    memory: loads.map((each) => megabytes(each.at(-1)?.memory)),
    delay: loads.map((each) => (each.length === 0 ? null : Math.max(...each.map(({ delay }) => delay)))),
  };
}

function megabytes(bytes: number | undefined): number | null {
  return bytes === undefined ? null : bytes / 1e6;
}

function cronsIn({ routes }: TimelineSample): readonly string[] {
  return Object.keys(routes).flatMap((route) => (route.startsWith(cronRoutes) ? [route.slice(cronRoutes.length)] : []));
}

function runChart(
  slots: Slots,
  name: string,
): { readonly completed: readonly number[]; readonly failed: readonly number[] } {
  const count = (matches: (status: string) => boolean): number[] =>
    slots.map((slot) => {
      const statuses = slot.flatMap(({ routes }) => Object.entries(routes[cronRoutes + name]?.statuses ?? {}));
      return statuses.reduce((sum, [status, number]) => sum + (matches(status) ? number : 0), 0);
    });
  return { completed: count((status) => status < "4"), failed: count((status) => status >= "4") };
}

function sums(slots: Slots, read: (sample: TimelineSample) => number | undefined): readonly number[] {
  return slots.map((slot) => slot.reduce((sum, sample) => sum + (read(sample) ?? 0), 0));
}
