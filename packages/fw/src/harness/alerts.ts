import { AlertWatch } from "../runtime/observe/alerts/watch.ts";
import type { AlertRule } from "../lib/alert-rule.ts";
import type { Metrics } from "../runtime/observe/metrics/metrics.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import { wrapOperations } from "./wrap-operations.ts";

/** The alerts of a test's application, evaluated every 30 seconds of its clock. */
export interface TestAlerts {
  /** Returns the names of the firing alerts, sorted. */
  firing(): readonly string[];
}

/** Returns the alerts, and metrics that bring the alerts up to date before they record a value. */
export function watchAlerts(
  rules: readonly AlertRule[],
  store: MetricStore,
  now: () => number,
): { readonly alerts: TestAlerts; readonly metrics: Metrics } {
  if (rules.length === 0) return { alerts: { firing: () => [] }, metrics: store };
  const watch = new AlertWatch(() => store.snapshot(), now());
  watch.use(rules, now());
  const evaluate = (): void => void watch.catchUp(now());
  return {
    alerts: {
      firing() {
        evaluate();
        return watch.firing();
      },
    },
    metrics: wrapOperations<Metrics>(store, (count) => {
      evaluate();
      return count();
    }),
  };
}
