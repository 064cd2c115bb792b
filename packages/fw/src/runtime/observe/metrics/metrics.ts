import type { Bundle } from "../../bundle.ts";

/** What a bundle measures: the metrics that it declares, and those that come with its routes, crons and jobs. */
export type Measured = Pick<Bundle, "endpoints" | "metrics" | "crons" | "consumers">;

/** What is kept of metrics until it is exported. No call throws or waits. */
export interface Metrics {
  /** Told of an application before it serves: from then on its metrics are measured, too. */
  define(measured: Measured): void;
  /** @param n a finite number of 0 or more, to be added to the declared counter */
  add(counter: string, n: number): void;
  /** @param value a finite number, as one sample of the declared histogram */
  observe(histogram: string, value: number): void;
  /**
   * Told of every answered request.
   * @param route the declared pattern with its method, or `<unmatched>`
   * @param status the response's status, or 499 when the client went away first
   * @param ms milliseconds from the request's headers to the end of the response
   */
  request(route: string, status: number, ms: number): void;
}
