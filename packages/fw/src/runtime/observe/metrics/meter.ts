import type { Metrics } from "./metrics.ts";

export function cronRoute(name: string): string {
  return `/_fw/api/cron/${name}`;
}

/** Starts to measure a request to a route. Call the result with the final status. Later calls are no-ops. */
export function startMeter(metrics: Pick<Metrics, "request"> | undefined, route: string): (status: number) => void {
  const started = performance.now();
  let isDone = false;
  return (status) => {
    if (!isDone) metrics?.request(route, status, performance.now() - started);
    isDone = true;
  };
}
