import type { Bundle } from "../../bundle.ts";

/** The parts of a bundle that have metrics: its declared metrics, routes, crons and jobs. */
export type MeasuredBundle = Pick<Bundle, "endpoints" | "metrics" | "crons" | "consumers">;

/** Records metrics for export. No method throws or waits. */
export interface Metrics {
  /** Adds the metrics of an application. Called before the application is served. */
  define(measured: MeasuredBundle): void;
  /** @param n a finite number of 0 or more, to be added to the declared counter */
  add(counter: string, n: number): void;
  /** @param value a finite number, as one sample of the declared histogram */
  observe(histogram: string, value: number): void;
  /** Called when a request, a cron run or an attempt of a task has ended, but not for the framework's own endpoints. */
  request(route: string, status: number, ms: number): void;
  /** Called for a document or a delivered message that does not fit its type. */
  misfit(source: { readonly kind: string; readonly name: string }): void;
}
