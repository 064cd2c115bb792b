import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AlertRule } from "../../../lib/alert-rule.ts";
import type { LogRecord } from "../log.ts";
import { MetricStore } from "../metrics/store.ts";
import { AlertReporter } from "./reporter.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const of = { metric: "requests", kind: "counter", service: "web", labels: { route: "<unmatched>" } } as const;
const lostAlert: AlertRule = {
  name: "lost",
  condition: { kind: "rate", of, comparison: "above", threshold: 0 },
  every: 60_000,
  for: 0,
  notify: ["oncall"],
};

test("an alert is reported once when it begins to fire, and once when it ends", () => {
  const metrics = new MetricStore();
  const logs: LogRecord[] = [];
  const alerts = new AlertReporter({ snapshotOf: () => metrics.snapshot(), log: (record) => logs.push(record) });
  alerts.use([lostAlert]);
  metrics.request("<unmatched>", 404, 1);
  vi.advanceTimersByTime(29_000);
  expect(alerts.firing()).toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(alerts.firing()).toEqual(["lost"]);
  vi.advanceTimersByTime(600_000);
  expect(alerts.firing()).toEqual([]);
  expect(logs.map(({ level, message }) => [level, message])).toEqual([
    ["warn", "alert lost is firing: rate of <unmatched> above 0; when deployed, it notifies oncall"],
    ["info", "alert lost is no longer firing"],
  ]);
  alerts.use([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("what other processes count is collected before each look, and not between them", async () => {
  const [there, here] = [new MetricStore(), { snapshot: new MetricStore().snapshot() }];
  let collected = 0;
  const changes: (readonly string[])[] = [];
  const alerts = new AlertReporter({
    snapshotOf: () => here.snapshot,
    collect: async () => {
      collected++;
      here.snapshot = there.snapshot();
    },
    log: () => {},
    onChange: () => changes.push(alerts.firing()),
  });
  alerts.use([lostAlert]);
  there.request("<unmatched>", 404, 1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([collected, changes]).toEqual([2, [["lost"]]]);
  alerts.end();
});
