/** What is kept of metrics until it is exported. No call throws or waits. */
export interface Metrics extends RequestMetrics {
  /** @param n a finite number of 0 or more, to be added to the declared counter */
  add(counter: string, n: number): void;
  /** @param value a finite number, as one sample of the declared histogram */
  observe(histogram: string, value: number): void;
}

/** Told of every answered request. */
interface RequestMetrics {
  /**
   * @param route the declared pattern with its method, or `<unmatched>`
   * @param status the response's status, or 499 when the client went away first
   * @param ms milliseconds from the request's headers to the end of the response
   */
  request(route: string, status: number, ms: number): void;
}

/** The route label of a request that no declared route answers. */
export const unmatched = "<unmatched>";
