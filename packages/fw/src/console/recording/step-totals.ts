import type { Span } from "../../runtime/observe/span.ts";
import type { CapturedOperation } from "./operation-details.ts";
import { shapeKey, shapeOf, type StepShape } from "./step-shape.ts";

/** Limit: shapes of queries and calls counted per minute; fw drops the shapes with the shortest total time. */
const countedShapes = 300;

/** The lowest bound between two buckets of durations, in milliseconds. Each further bound is twice the previous one. */
const lowestBound = 0.125;

/** The bounds between the buckets of durations: 0.125, 0.25 … 262144 ms. */
export const durationBounds: readonly number[] = Array.from({ length: 22 }, (_, i) => lowestBound * 2 ** i);

/** The totals of the steps of one shape. */
export interface StepTotal extends StepShape {
  readonly key: string;
  readonly count: number;
  readonly failed: number;
  /** The sum and the longest of the durations in milliseconds. */
  readonly ms: number;
  readonly longest: number;
  /** The number of documents read or written, where known. */
  readonly documents: number;
  /** The number of queries that failed because fw is still filling an index. */
  readonly waits: number;
  /** The number of durations in each bucket. */
  readonly buckets: readonly number[];
}

type GrowingTotal = { -readonly [Member in keyof StepTotal]: StepTotal[Member] } & { readonly buckets: number[] };

/** Counts steps by their shape. Bounded: a new shape replaces the one with the shortest total time. */
export class StepTotals {
  readonly #most: number;
  readonly #totals = new Map<string, GrowingTotal>();

  constructor(most: number = countedShapes) {
    this.#most = most;
  }

  /** Counts a completed step. Ignores requests, messages and deliveries. */
  add(span: Span, operation: CapturedOperation | undefined): void {
    const key = shapeKey(span, operation);
    if (key === undefined) return;
    const total = this.#totals.get(key) ?? this.#open(emptyTotal(key, shapeOf(span, operation)));
    const { ms, failed } = span;
    const bucket = bucketOf(ms);
    total.count += 1;
    total.failed += failed ? 1 : 0;
    total.ms += ms;
    total.longest = Math.max(total.longest, ms);
    total.documents += operation?.documents ?? 0;
    total.waits += operation?.waitsForIndex ? 1 : 0;
    total.buckets[bucket] = (total.buckets[bucket] ?? 0) + 1;
  }

  /** Adds the totals of another process or of another time. */
  merge(others: readonly StepTotal[]): void {
    for (const other of others) {
      const total = this.#totals.get(other.key) ?? this.#open(emptyTotal(other.key, other));
      total.count += other.count;
      total.failed += other.failed;
      total.ms += other.ms;
      total.longest = Math.max(total.longest, other.longest);
      total.documents += other.documents;
      total.waits += other.waits;
      for (const [i, count] of other.buckets.entries()) total.buckets[i] = (total.buckets[i] ?? 0) + count;
    }
  }

  /** Returns the totals, longest total time first. */
  list(): readonly StepTotal[] {
    return [...this.#totals.values()].toSorted((one, other) => other.ms - one.ms);
  }

  /** Returns the totals and starts from zero. */
  take(): readonly StepTotal[] {
    const totals = this.list();
    this.#totals.clear();
    return totals;
  }

  #open(total: GrowingTotal): GrowingTotal {
    if (this.#totals.size === this.#most) this.#dropShortest();
    this.#totals.set(total.key, total);
    return total;
  }

  #dropShortest(): void {
    let shortest: GrowingTotal | undefined;
    for (const total of this.#totals.values()) if (shortest === undefined || total.ms < shortest.ms) shortest = total;
    if (shortest !== undefined) this.#totals.delete(shortest.key);
  }
}

function emptyTotal(key: string, { kind, name, route, query }: StepShape): GrowingTotal {
  const buckets = Array.from({ length: durationBounds.length + 1 }, () => 0);
  return {
    key,
    kind,
    name,
    route,
    ...(query && { query }),
    count: 0,
    failed: 0,
    ms: 0,
    longest: 0,
    documents: 0,
    waits: 0,
    buckets,
  };
}

function bucketOf(ms: number): number {
  if (ms < lowestBound) return 0;
  return Math.min(durationBounds.length, Math.floor(Math.log2(ms / lowestBound)) + 1);
}
