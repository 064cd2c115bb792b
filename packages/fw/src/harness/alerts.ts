import { AlertWatch } from "../runtime/observe/alerts/watch.ts";
import type { AlertRule } from "../lib/alert-rule.ts";
import type { Metrics } from "../runtime/observe/metrics/metrics.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import { wrapped } from "./wrapped.ts";

/** The alerts of the application of a test. They are looked at every 30 seconds of its clock, from when it was made. */
export interface TestAlerts {
  /** The names of those that fire now, sorted. */
  firing(): readonly string[];
}

/** The alerts of an application, and its metrics as they tell them of the time before they count. */
export function watched(
  rules: readonly AlertRule[],
  store: MetricStore,
  now: () => number,
): { readonly alerts: TestAlerts; readonly metrics: Metrics } {
  if (rules.length === 0) return { alerts: { firing: () => [] }, metrics: store };
  const watch = new AlertWatch(() => store.snapshot(), now());
  watch.use(rules, now());
  const pass = (): void => void watch.catchUp(now());
  return {
    alerts: {
      firing() {
        pass();
        return watch.firing();
      },
    },
    metrics: wrapped<Metrics>(store, (count) => {
      pass();
      return count();
    }),
  };
}
