import type { Context } from "../../declare/context.ts";
import type { MetricOperations } from "../../declare/metric.ts";
import type { Application } from "../application.ts";

/** Carries out what counters and histograms ask for. Nothing here throws: a metric never fails what it measures. */
export function metricOperations(application: () => Application): MetricOperations {
  return {
    add(ctx, { name }, n) {
      if (!Number.isFinite(n) || n < 0) return warn(ctx, `counter ${name}: ${String(n)} is not a number of 0 or more`);
      quietly(() => {
        const { settings, metrics } = application();
        if (settings.logsMetrics) ctx.log.info(`counter ${name}`, { add: n });
        metrics?.add(name, n);
      });
    },
    observe(ctx, { name }, value) {
      if (!Number.isFinite(value)) return warn(ctx, `histogram ${name}: ${String(value)} is not a number`);
      quietly(() => {
        const { settings, metrics } = application();
        if (settings.logsMetrics) ctx.log.info(`histogram ${name}`, { observe: value });
        metrics?.observe(name, value);
      });
    },
  };
}

function warn(ctx: Context, why: string): void {
  quietly(() => ctx.log.warn(`${why}, so it is left out`));
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The logger of a context or an exporter failed, which is no matter of the handler's.
  }
}
