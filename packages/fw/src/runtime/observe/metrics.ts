/** Told of every answered request. */
export interface RequestMetrics {
  /**
   * @param route the declared pattern with its method, or `<unmatched>`
   * @param status the response's status, or 499 when the client went away first
   * @param ms milliseconds from the request's headers to the end of the response
   */
  request(route: string, status: number, ms: number): void;
}

/** The route label of a request that no declared route answers. */
export const unmatched = "<unmatched>";
