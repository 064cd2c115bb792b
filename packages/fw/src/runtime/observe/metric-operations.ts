import type { Context } from "../../declare/context.ts";
import type { MetricOperations } from "../../declare/metric.ts";
import type { Application } from "../application.ts";

/** Carries out what counters and histograms ask for. Nothing here throws: a metric never fails what it measures. */
export function metricOperations(application: () => Application): MetricOperations {
  const told = new WeakSet<object>();
  /** Once for each declaration: what is wrong at one call is likely to be wrong at the next million. */
  const warnOnce = (ctx: Context, declaration: object, why: string): void => {
    if (!told.has(declaration)) warn(ctx, why);
    told.add(declaration);
  };
  return {
    add(ctx, counter, n) {
      const { name } = counter;
      if (!Number.isFinite(n) || n < 0)
        return warnOnce(ctx, counter, `counter ${name}: ${textOf(n)} is not a number of 0 or more`);
      quietly(() => {
        const { settings, metrics } = application();
        if (settings.logsMetrics) ctx.log.info(`counter ${name}`, { add: n });
        metrics?.add(name, n);
      });
    },
    observe(ctx, histogram, value) {
      const { name } = histogram;
      if (!Number.isFinite(value))
        return warnOnce(ctx, histogram, `histogram ${name}: ${textOf(value)} is not a number`);
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

/** What code without types gave instead of a number, whatever it is. */
function textOf(given: unknown): string {
  try {
    return String(given).slice(0, 100);
  } catch {
    return `[${typeof given}]`;
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The logger of a context or an exporter failed, which is no matter of the handler's.
  }
}
