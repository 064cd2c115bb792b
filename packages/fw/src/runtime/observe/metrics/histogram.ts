import { atMostBounds, bucketsOf, cellCount, cellOf } from "./buckets.ts";
import type { HistogramSeries } from "./snapshot.ts";

/** What a histogram has: its cells, then its sum. */
export const histogramLength: number = cellCount + 1;

/** Counts a sample in the cells that begin at `start`, and adds it to the sum behind them. */
export function record(values: Float64Array, start: number, sample: number): void {
  const cell = start + cellOf(sample);
  values[cell] = (values[cell] ?? 0) + 1;
  values[start + cellCount] = finite((values[start + cellCount] ?? 0) + sample);
}

/** What can no longer be told from infinity stays the largest number that there is. */
export function finite(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** A histogram as it is exported. */
export function histogramOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  values: Float64Array,
): HistogramSeries {
  const cells = values.subarray(0, cellCount);
  const count = cells.reduce((sum, each) => sum + each, 0);
  const sum = values[cellCount] ?? 0;
  return { name, kind: "histogram", labels, count, sum, buckets: bucketsOf(cells), atMost: atMostBounds(cells) };
}
