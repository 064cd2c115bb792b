import { histogramLargest, histogramLowest } from "../../../lib/limits.ts";

/** How often the lowest bound doubles before it is the highest. */
const doublings = Math.log2(histogramLargest / histogramLowest);

/** The bounds between buckets: 1, 2, 4 … 262144. */
export const bucketBounds: readonly number[] = Array.from(
  { length: doublings + 1 },
  (_, index) => histogramLowest * 2 ** index,
);

/**
 * What is counted apart: samples below the first bound, those at each bound, those between it and the next, and those above the last.
 * SPEC's buckets begin at their bound and those of OpenMetrics end at it, so only both apart make either of them exact.
 */
export const cellCount: number = 2 * doublings + 3;

/** The cell that counts a sample. */
export function cellOf(sample: number): number {
  if (!(sample >= histogramLowest)) return 0;
  if (sample > histogramLargest) return cellCount - 1;
  const power = 31 - Math.clz32(sample);
  return 2 * power + (sample === 1 << power ? 1 : 2);
}

/**
 * The counts of the buckets, of which the first is the underflow and the last the overflow: bucket `i` has the samples from
 * `bucketBounds[i - 1]` to below `bucketBounds[i]`, and the last one before the overflow the highest bound, too.
 */
export function bucketsOf(cells: Float64Array): readonly number[] {
  const counts: number[] = [cells[0] ?? 0];
  for (let cell = 1; cell < cellCount - 2; cell += 2) counts.push((cells[cell] ?? 0) + (cells[cell + 1] ?? 0));
  counts[doublings] = (counts[doublings] ?? 0) + (cells[cellCount - 2] ?? 0);
  counts.push(cells[cellCount - 1] ?? 0);
  return counts;
}

/** How many samples are at each bound or below it. */
export function atMostBounds(cells: Float64Array): readonly number[] {
  let sum = cells[0] ?? 0;
  return bucketBounds.map((_, index) => {
    sum += (index === 0 ? 0 : (cells[2 * index] ?? 0)) + (cells[2 * index + 1] ?? 0);
    return sum;
  });
}

/**
 * The value below which the share `q` of the samples is, on a straight line through the bucket that has it; undefined without samples.
 * Below the lowest bound the line begins at 0, and above the highest one nothing is known but that bound.
 */
export function percentileOf(buckets: readonly number[], q: number): number | undefined {
  const count = buckets.reduce((sum, each) => sum + each, 0);
  if (count === 0) return undefined;
  let left = q * count;
  for (const [index, inside] of buckets.entries()) {
    if (left > inside || inside === 0) {
      left -= inside;
      continue;
    }
    const from = index === 0 ? 0 : (bucketBounds[index - 1] ?? histogramLargest);
    const to = bucketBounds[index] ?? histogramLargest;
    return from + (to - from) * (Math.max(left, 0) / inside);
  }
  return histogramLargest;
}
