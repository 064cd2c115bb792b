import type { Bundle } from "../bundle.ts";

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

/** The route label of a request that no declared route answers. */
export const unmatched = "<unmatched>";

/** The route label of a cron or a job. */
export function cronRoute(name: string): string {
  return `/_fw/api/cron/${name}`;
}

/** Begins to measure what is counted as a request of a route; to be called with its status when it is over, and counts once. */
export function meter(metrics: Pick<Metrics, "request"> | undefined, route: string): (status: number) => void {
  const started = performance.now();
  let over = false;
  return (status) => {
    if (!over) metrics?.request(route, status, performance.now() - started);
    over = true;
  };
}
