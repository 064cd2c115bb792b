import { atMostBounds, bucketsOf, cellCount, cellOf } from "./buckets.ts";
import type { HistogramSeries } from "./snapshot.ts";

/** The number of values in a histogram: its cells, the sum of its samples, and the sum of their squares. */
export const histogramLength: number = cellCount + 2;

/** Counts a sample in the cells from `start` on, and adds it to the sums after the cells. */
export function recordSample(values: Float64Array, start: number, sample: number): void {
  const cell = start + cellOf(sample);
  values[cell] = (values[cell] ?? 0) + 1;
  values[start + cellCount] = clampFinite((values[start + cellCount] ?? 0) + sample);
  values[start + cellCount + 1] = clampFinite((values[start + cellCount + 1] ?? 0) + sample * sample);
}

export function clampFinite(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
}

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
