import type { Series } from "../../../lib/alert-rule.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";

/** The totals of a series at an instant. Counters have no buckets. */
export interface Point {
  readonly at: number;
  readonly count: number;
  readonly buckets: readonly number[];
}

/** The increase of a series within a window. */
export interface Increase {
  readonly count: number;
  readonly buckets: readonly number[];
  /** False if the window starts before the first point. */
  readonly covered: boolean;
  /** The length of the window in milliseconds. Slightly longer if there is no point exactly at its start. */
  readonly length: number;
}

/**
 * The totals of a series, as far back as its alerts need them. When an instance restarts at zero, the series continues
 * from the previous totals.
 */
export class SeriesHistory {
  #points: Point[] = [];
  #last: Point | undefined;
  /** The totals of instances that have ended. */
  #before: Pick<Point, "count" | "buckets"> = { count: 0, buckets: [] };

  /** @param longestWindow length of the longest window in milliseconds */
  push(point: Point, longestWindow: number): void {
    if (this.#last !== undefined && point.count < this.#last.count) this.#before = addPoints(this.#before, this.#last);
    this.#last = point;
    this.#points.push({ at: point.at, ...addPoints(this.#before, point) });
    const first = this.#lastAtOrBefore(point.at - longestWindow);
    // Drop old points in batches, because each removal moves all the others.
    if (first > this.#points.length / 2) this.#points = this.#points.slice(first);
  }

  within(window: number): Increase {
    const last = this.#points.at(-1);
    if (last === undefined) return { count: 0, buckets: [], covered: false, length: window };
    const index = this.#lastAtOrBefore(last.at - window);
    const from = this.#points[Math.max(index, 0)] ?? last;
    return {
      count: last.count - from.count,
      buckets: last.buckets.map((each, bucket) => each - (from.buckets[bucket] ?? 0)),
      covered: index >= 0,
      length: Math.max(window, last.at - from.at),
    };
  }

  /** Returns the index of the last point at or before an instant; -1 if there is none. */
  #lastAtOrBefore(instant: number): number {
    let [low, high] = [0, this.#points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#points[middle]?.at ?? 0) <= instant) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Sums the series of a metric that have the given labels, whatever their other labels are. */
export function pointOf({ metric, labels }: Series, { at, series }: MetricSnapshot): Point {
  const required = Object.entries(labels);
  const matches = series.filter(
    (each) => each.name === metric && required.every(([label, value]) => each.labels[label] === value),
  );
  const points = matches.map((each): Pick<Point, "count" | "buckets"> => {
    return each.kind === "counter" ? { count: each.value, buckets: [] } : { count: each.count, buckets: each.buckets };
  });
  return { at, ...points.reduce(addPoints, { count: 0, buckets: [] }) };
}

function addPoints(
  one: Pick<Point, "count" | "buckets">,
  other: Pick<Point, "count" | "buckets">,
): Pick<Point, "count" | "buckets"> {
  const [longer, shorter] = one.buckets.length < other.buckets.length ? [other, one] : [one, other];
  return {
    count: one.count + other.count,
    buckets: longer.buckets.map((each, bucket) => each + (shorter.buckets[bucket] ?? 0)),
  };
}
