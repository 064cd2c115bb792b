import type { Series } from "../../../lib/alert-rule.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";

/** What had been counted up to an instant; no buckets where nothing is spread. */
export interface Point {
  readonly at: number;
  readonly count: number;
  readonly buckets: readonly number[];
}

/** What was counted within a window. */
export interface Increase {
  readonly count: number;
  readonly buckets: readonly number[];
  /** False where the window began before anything was counted. */
  readonly covered: boolean;
  /** Milliseconds: the window's, or a little more where no point lies at its beginning. */
  readonly length: number;
}

/** What a series had been counted up to, as far back as windows reach. An instance that starts again counts on from where it was. */
export class SeriesHistory {
  #points: Point[] = [];
  #last: Point | undefined;
  /** What was counted by instances that are no more. */
  #before: Pick<Point, "count" | "buckets"> = { count: 0, buckets: [] };

  /** @param kept milliseconds that the longest window looks back */
  push(point: Point, kept: number): void {
    if (this.#last !== undefined && point.count < this.#last.count) this.#before = sum(this.#before, this.#last);
    this.#last = point;
    this.#points.push({ at: point.at, ...sum(this.#before, point) });
    const first = this.#beginning(point.at - kept);
    // Most of them at once, since each time moves all others.
    if (first > this.#points.length / 2) this.#points = this.#points.slice(first);
  }

  /** What was counted in the window that ends with the last point. */
  within(window: number): Increase {
    const last = this.#points.at(-1);
    if (last === undefined) return { count: 0, buckets: [], covered: false, length: window };
    const index = this.#beginning(last.at - window);
    const from = this.#points[Math.max(index, 0)] ?? last;
    return {
      count: last.count - from.count,
      buckets: last.buckets.map((each, bucket) => each - (from.buckets[bucket] ?? 0)),
      covered: index >= 0,
      length: Math.max(window, last.at - from.at),
    };
  }

  /** The last point at an instant or before it, as an index; -1 where there is none. */
  #beginning(instant: number): number {
    let [low, high] = [0, this.#points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#points[middle]?.at ?? 0) <= instant) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** What a snapshot has of a series: all that is counted under its labels and any other. */
export function pointOf({ metric, labels }: Series, { at, series }: MetricSnapshot): Point {
  const wanted = Object.entries(labels);
  const found = series.filter(
    (each) => each.name === metric && wanted.every(([label, value]) => each.labels[label] === value),
  );
  const points = found.map((each): Pick<Point, "count" | "buckets"> => {
    return each.kind === "counter" ? { count: each.value, buckets: [] } : { count: each.count, buckets: each.buckets };
  });
  return { at, ...points.reduce(sum, { count: 0, buckets: [] }) };
}

function sum(
  one: Pick<Point, "count" | "buckets">,
  other: Pick<Point, "count" | "buckets">,
): Pick<Point, "count" | "buckets"> {
  const [longer, shorter] = one.buckets.length < other.buckets.length ? [other, one] : [one, other];
  return {
    count: one.count + other.count,
    buckets: longer.buckets.map((each, bucket) => each + (shorter.buckets[bucket] ?? 0)),
  };
}
