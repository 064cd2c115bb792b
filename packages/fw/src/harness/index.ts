import type { NewTestApp } from "./test-app.ts";

export type { TestAlerts } from "./alerts.ts";
export type { NewTestApp, TestApp, TestAppOptions } from "./test-app.ts";
export type { FieldValue, SubmitOptions, TestClient, TestRequest } from "./client.ts";
export type { SocketEnd, TestSocket, TestSocketOptions } from "./test-socket.ts";
export type { TestClock } from "./clock.ts";
export type { HistogramBucket, HistogramReading, MeasuredRoute, TestMetrics } from "./metrics.ts";
export type {
  CounterSeries,
  HistogramSeries,
  MetricSeries,
  MetricSnapshot,
} from "../runtime/observe/metrics/snapshot.ts";
export type { SignedIn, SignInAs } from "./signed-in.ts";
export type { LogRecord } from "../runtime/observe/log.ts";

/**
 * Creates an application for a test: `await using app = await newTestApp()`. Uses the application whose modules the
 * test imports. Needs `fw test`, or Vitest with the plugin of `fw/vitest`.
 */
export const newTestApp: NewTestApp = async () => {
  throw new Error(
    'newTestApp() needs the test runner of fw: run "fw test", or add the plugin of "fw/vitest" to Vitest',
  );
};
