import { histogramLargest, histogramLowest } from "../../../lib/limits.ts";

/** How many times the lowest bound doubles to reach the highest. */
const doublings = Math.log2(histogramLargest / histogramLowest);

/** The bounds between buckets: 1, 2, 4 … 262144. */
export const bucketBounds: readonly number[] = Array.from(
  { length: doublings + 1 },
  (_, index) => histogramLowest * 2 ** index,
);

/**
 * The number of cells: below the first bound, at each bound, between two bounds, and above the last. The buckets of
 * `bucketsOf` include their lower bounds; OpenMetrics buckets include their upper bounds. Separate cells for the bounds
 * support both.
 */
export const cellCount: number = 2 * doublings + 3;

export function cellOf(sample: number): number {
  if (!(sample >= histogramLowest)) return 0;
  if (sample > histogramLargest) return cellCount - 1;
  const power = 31 - Math.clz32(sample);
  return 2 * power + (sample === 1 << power ? 1 : 2);
}

/**
 * Returns the counts of the buckets, from the underflow to the overflow. Bucket `i` has the samples from
 * `bucketBounds[i - 1]` to below `bucketBounds[i]`. The last one before the overflow also includes the highest bound.
 */
export function bucketsOf(cells: Float64Array): readonly number[] {
  const counts: number[] = [cells[0] ?? 0];
  for (let cell = 1; cell < cellCount - 2; cell += 2) counts.push((cells[cell] ?? 0) + (cells[cell + 1] ?? 0));
  counts[doublings] = (counts[doublings] ?? 0) + (cells[cellCount - 2] ?? 0);
  counts.push(cells[cellCount - 1] ?? 0);
  return counts;
}

export function atMostBounds(cells: Float64Array): readonly number[] {
  let sum = cells[0] ?? 0;
  return bucketBounds.map((_, index) => {
    sum += (index === 0 ? 0 : (cells[2 * index] ?? 0)) + (cells[2 * index + 1] ?? 0);
    return sum;
  });
}

/**
 * Returns the `q` quantile of the samples, interpolated linearly within its bucket; undefined without samples. Below
 * the lowest bound, interpolates from 0. Above the highest bound, returns that bound.
 */
export function percentileOf(buckets: readonly number[], q: number): number | undefined {
  const count = buckets.reduce((sum, each) => sum + each, 0);
  if (count === 0) return undefined;
  let rank = q * count;
  for (const [index, size] of buckets.entries()) {
    if (rank > size || size === 0) {
      rank -= size;
      continue;
    }
    const from = index === 0 ? 0 : (bucketBounds[index - 1] ?? histogramLargest);
    const to = bucketBounds[index] ?? histogramLargest;
    return from + (to - from) * (Math.max(rank, 0) / size);
  }
  return histogramLargest;
}
