import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bundleOf } from "../../runtime/testing/app.ts";
import { MetricStore, type LogRecord } from "../../runtime/index.ts";
import { DevAlerts } from "./alerts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an alert is told once when it begins to fire, and once when it ends", () => {
  const metrics = new MetricStore();
  const logs: LogRecord[] = [];
  const alerts = new DevAlerts(metrics, (record) => logs.push(record));
  const of = { metric: "requests", kind: "counter", service: "web", labels: { route: "<unmatched>" } } as const;
  const condition = { kind: "rate", of, comparison: "above", threshold: 0 } as const;
  alerts.use({ ...bundleOf([]), alerts: [{ name: "lost", condition, every: 60_000, for: 0, notify: ["oncall"] }] });
  metrics.request("<unmatched>", 404, 1);
  vi.advanceTimersByTime(29_000);
  expect(alerts.firing()).toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(alerts.firing()).toEqual(["lost"]);
  vi.advanceTimersByTime(600_000);
  expect(alerts.firing()).toEqual([]);
  expect(logs.map(({ level, message }) => [level, message])).toEqual([
    ["warn", "alert lost fires: rate of <unmatched> above 0; deployed, it tells oncall"],
    ["info", "alert lost no longer fires"],
  ]);
  alerts.use(bundleOf([]));
  expect(vi.getTimerCount()).toBe(0);
});
