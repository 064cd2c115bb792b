import { atMostBounds, bucketsOf, cellCount, cellOf } from "./buckets.ts";
import type { HistogramSeries } from "./snapshot.ts";

/** The numbers of a histogram: its cells, then the sum of its samples and that of their squares. */
export const histogramLength: number = cellCount + 2;

/** Counts a sample in the cells that begin at `start`, and adds it to the sums behind them. */
export function record(values: Float64Array, start: number, sample: number): void {
  const cell = start + cellOf(sample);
  values[cell] = (values[cell] ?? 0) + 1;
  values[start + cellCount] = finite((values[start + cellCount] ?? 0) + sample);
  values[start + cellCount + 1] = finite((values[start + cellCount + 1] ?? 0) + sample * sample);
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
  const [sum = 0, squares = 0] = values.subarray(cellCount);
  const buckets = bucketsOf(cells);
  return { name, kind: "histogram", labels, count, sum, squares, buckets, atMost: atMostBounds(cells) };
}
