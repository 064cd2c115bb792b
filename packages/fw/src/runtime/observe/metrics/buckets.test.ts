import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atMostBounds, bucketBounds, bucketsOf, cellCount, cellOf, percentileOf } from "./buckets.ts";

function cellsOf(samples: readonly number[]): Float64Array {
  const cells = new Float64Array(cellCount);
  for (const sample of samples) cells[cellOf(sample)]! += 1;
  return cells;
}

/** Samples that are mostly at or next to the bound of a bucket. */
const samples = fc.array(
  fc.oneof(
    fc.constantFrom(...bucketBounds),
    fc.constantFrom(...bucketBounds).map((bound) => bound * (1 - Number.EPSILON)),
    fc.constantFrom(...bucketBounds).map((bound) => bound * (1 + Number.EPSILON)),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
  ),
);

test("buckets double from 1 to 262144, and have what is at their lower bound", () => {
  expect(bucketBounds).toEqual(Array.from({ length: 19 }, (_, index) => 2 ** index));
  fc.assert(
    fc.property(samples, (values) => {
      const buckets = bucketsOf(cellsOf(values));
      const expectedCounts = [-Infinity, ...bucketBounds].map((from, index) => {
        const to = bucketBounds[index] ?? Infinity;
        const isIn = (sample: number): boolean => {
          if (to === Infinity) return sample > from;
          return sample >= from && (sample < to || sample === 262_144) && sample <= 262_144;
        };
        return values.filter((sample) => isIn(sample) && (sample !== 262_144 || index === 18)).length;
      });
      expect(buckets).toEqual(expectedCounts);
    }),
  );
});

test("samples at a bound or below it are counted exactly, too", () => {
  fc.assert(
    fc.property(samples, (given) => {
      const expected = bucketBounds.map((bound) => given.filter((sample) => sample <= bound).length);
      expect(atMostBounds(cellsOf(given))).toEqual(expected);
    }),
  );
});

test.each([
  ["nothing", [], 0.5, undefined],
  ["one bucket, on a straight line through it", [4, 5, 6, 7], 0.5, 6],
  ["two buckets", [1, 1, 1, 4], 0.75, 2],
  ["the underflow, which begins at 0", [0.1, 0.2], 0.5, 0.5],
  ["the overflow, of which only its bound is known", [1e9, 1e9], 0.99, 262_144],
])("a percentile of %s", (_, given, q, expected) => {
  expect(percentileOf(bucketsOf(cellsOf(given)), q)).toBe(expected);
});

test("a percentile lies in the bucket of the sample that has it, and never falls", () => {
  const positive = fc.array(fc.double({ min: 0, max: 262_144, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(positive, (values) => {
      const buckets = bucketsOf(cellsOf(values));
      const sorted = values.toSorted((a, b) => a - b);
      let before = 0;
      for (const q of [0.01, 0.25, 0.5, 0.9, 0.99]) {
        const estimated = percentileOf(buckets, q) ?? Number.NaN;
        const sample = sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN;
        const from = bucketBounds.findLast((bound) => bound <= sample) ?? 0;
        const to = bucketBounds.find((bound) => bound > sample) ?? 262_144;
        expect(estimated).toBeGreaterThanOrEqual(Math.min(from, 131_072));
        expect(estimated).toBeLessThanOrEqual(to);
        expect(estimated).toBeGreaterThanOrEqual(before);
        before = estimated;
      }
    }),
  );
});
