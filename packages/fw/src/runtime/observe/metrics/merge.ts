import type { CounterSeries, HistogramSeries, MetricSeries, MetricSnapshot } from "./snapshot.ts";

/** Adds up the snapshots of several processes by name and labels. */
export function mergeSnapshots(snapshots: readonly MetricSnapshot[]): MetricSnapshot {
  const series = new Map<string, MetricSeries>();
  for (const each of snapshots.flatMap((snapshot) => snapshot.series)) {
    const key = JSON.stringify([each.kind, each.name, Object.entries(each.labels)]);
    const before = series.get(key);
    series.set(key, before === undefined ? each : addSeries(before, each));
  }
  return {
    at: Math.max(0, ...snapshots.map(({ at }) => at)),
    since: Math.min(...snapshots.map(({ since }) => since)),
    series: [...series.values()],
  };
}

function addSeries(a: MetricSeries, b: MetricSeries): MetricSeries {
  return a.kind === "counter"
    ? { ...a, value: a.value + (b as CounterSeries).value }
    : addHistograms(a, b as HistogramSeries);
}

function addHistograms(a: HistogramSeries, b: HistogramSeries): HistogramSeries {
  return {
    ...a,
    count: a.count + b.count,
    sum: a.sum + b.sum,
    squares: a.squares + b.squares,
    buckets: addCounts(a.buckets, b.buckets),
    atMost: addCounts(a.atMost, b.atMost),
  };
}

function addCounts(one: readonly number[], other: readonly number[]): readonly number[] {
  return one.map((count, index) => count + (other[index] ?? 0));
}
