import type { Context } from "../../declare/context.ts";
import type { CounterDeclaration, HistogramDeclaration, MetricOperations } from "../../declare/metric.ts";
import type { Application } from "../application.ts";

/** The minimum value of each kind, a description of valid values, and the name of the kind's method. */
const kinds = {
  counter: { least: 0, what: "a number of 0 or more", verb: "add" },
  histogram: { least: -Infinity, what: "a number", verb: "observe" },
} as const;

/** Implements counters and histograms. Never throws, because a metric must not break the code it measures. */
export function metricOperations(application: () => Application): MetricOperations {
  const warned = new WeakSet<object>();
  const record = (ctx: Context, metric: CounterDeclaration | HistogramDeclaration, number: number): void => {
    const { kind, name } = metric;
    const { least, what, verb } = kinds[kind];
    if (!Number.isFinite(number) || number < least) {
      // Warn once per declaration, because a wrong call may be repeated a million times.
      if (!warned.has(metric)) warn(ctx, `${kind} ${name}: ${formatValue(number)} is not ${what}`);
      return void warned.add(metric);
    }
    quietly(() => {
      const { settings, metrics } = application();
      if (settings.logsMetrics) ctx.log.debug(`${kind} ${name}`, { [verb]: number });
      metrics?.[verb](name, number);
    });
  };
  return { add: record, observe: record };
}

function warn(ctx: Context, reason: string): void {
  quietly(() => ctx.log.warn(`${reason}; the value was ignored`));
}

/** Formats a value that untyped code passed instead of a number. */
function formatValue(value: unknown): string {
  try {
    return String(value).slice(0, 100);
  } catch {
    return `[${typeof value}]`;
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // A failure of a context's logger, or of an exporter, must not make the handler fail.
  }
}
