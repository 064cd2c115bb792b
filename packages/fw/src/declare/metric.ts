import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { HOST } from "./host.ts";

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
    add: (ctx, n) => ctx[HOST].metrics.add(ctx, counter, n),
  };
  return declared(counter);
}

/** Declares a histogram: `export const size = Histogram("upload_bytes")`. */
export function Histogram(name: string): HistogramDeclaration {
  const histogram: HistogramDeclaration = {
    kind: "histogram",
    name,
    observe: (ctx, value) => ctx[HOST].metrics.observe(ctx, histogram, value),
  };
  return declared(histogram);
}
