import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { hosted } from "./slot.ts";

/** A number that only grows, such as orders that were placed. */
export interface CounterDeclaration {
  /** @internal */
  readonly kind: "counter";
  /** @internal */
  readonly name: string;
  /** Adds a number of 0 or more. Neither waits nor fails: what cannot be added is left out, and the log says so. */
  add(ctx: Context, n: number): void;
}

/** How the values of something are spread, such as milliseconds or bytes. */
export interface HistogramDeclaration {
  /** @internal */
  readonly kind: "histogram";
  /** @internal */
  readonly name: string;
  /** Records one value. Neither waits nor fails: what is no number is left out, and the log says so. */
  observe(ctx: Context, value: number): void;
}

/** Declares a counter: `export const placed = Counter("orders_placed")`. */
export function Counter(name: string): CounterDeclaration {
  const counter: CounterDeclaration = {
    kind: "counter",
    name,
    add: (ctx, n) => operations(ctx).add(ctx, counter, n),
  };
  return declared(counter);
}

/** Declares a histogram: `export const size = Histogram("upload_bytes")`. */
export function Histogram(name: string): HistogramDeclaration {
  const histogram: HistogramDeclaration = {
    kind: "histogram",
    name,
    observe: (ctx, value) => operations(ctx).observe(ctx, histogram, value),
  };
  return declared(histogram);
}

/** What counters and histograms ask of the runtime. Neither throws. */
export interface MetricOperations {
  add(ctx: Context, counter: CounterDeclaration, n: number): void;
  observe(ctx: Context, histogram: HistogramDeclaration, value: number): void;
}

/** What it asks of the runtime, as part of the Host. */
export interface MetricHost {
  readonly metrics: MetricOperations;
}

function operations(ctx: Context): MetricOperations {
  return hosted<MetricHost>(ctx).metrics;
}
