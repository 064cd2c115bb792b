import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import { hosted } from "./slot.ts";

/** A number that only increases, such as the number of orders placed. */
export interface CounterDeclaration {
  /** @internal */
  readonly kind: "counter";
  /** @internal */
  readonly name: string;
  /** Adds a nonnegative number. Never blocks or throws: invalid values are logged and ignored. */
  add(ctx: Context, n: number): void;
}

/** A distribution of values, such as latencies or sizes. */
export interface HistogramDeclaration {
  /** @internal */
  readonly kind: "histogram";
  /** @internal */
  readonly name: string;
  /** Records a value. Never blocks or throws: invalid values are logged and ignored. */
  observe(ctx: Context, value: number): void;
}

/** Declares a counter: `export const placed = Counter("orders_placed")`. */
export function Counter(name: string): CounterDeclaration {
  const counter: CounterDeclaration = {
    kind: "counter",
    name,
    add: (ctx, n) => operations(ctx).add(ctx, counter, n),
  };
  return recordDeclaration(counter);
}

/** Declares a histogram: `export const size = Histogram("upload_bytes")`. */
export function Histogram(name: string): HistogramDeclaration {
  const histogram: HistogramDeclaration = {
    kind: "histogram",
    name,
    observe: (ctx, value) => operations(ctx).observe(ctx, histogram, value),
  };
  return recordDeclaration(histogram);
}

/** Metric operations, as the runtime implements them. They never throw. */
export interface MetricOperations {
  add(ctx: Context, counter: CounterDeclaration, n: number): void;
  observe(ctx: Context, histogram: HistogramDeclaration, value: number): void;
}

/** The part of the Host that records metrics. */
export interface MetricHost {
  readonly metrics: MetricOperations;
}

function operations(ctx: Context): MetricOperations {
  return hosted<MetricHost>(ctx).metrics;
}
