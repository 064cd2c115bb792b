import type { Context } from "../../declare/context.ts";
import type { CounterDeclaration, HistogramDeclaration, MetricOperations } from "../../declare/metric.ts";
import type { Application } from "../application.ts";

/** How each kind takes a number: its smallest, what a number is called that it takes, and the word for taking it. */
const takes = {
  counter: { least: 0, what: "a number of 0 or more", verb: "add" },
  histogram: { least: -Infinity, what: "a number", verb: "observe" },
} as const;

/** Carries out what counters and histograms ask for. Nothing here throws: a metric never fails what it measures. */
export function metricOperations(application: () => Application): MetricOperations {
  const told = new WeakSet<object>();
  const take = (ctx: Context, metric: CounterDeclaration | HistogramDeclaration, number: number): void => {
    const { kind, name } = metric;
    const { least, what, verb } = takes[kind];
    if (!Number.isFinite(number) || number < least) {
      // Once for each declaration: what is wrong at one call is likely to be wrong at the next million.
      if (!told.has(metric)) warn(ctx, `${kind} ${name}: ${textOf(number)} is not ${what}`);
      return void told.add(metric);
    }
    quietly(() => {
      const { settings, metrics } = application();
      if (settings.logsMetrics) ctx.log.debug(`${kind} ${name}`, { [verb]: number });
      metrics?.[verb](name, number);
    });
  };
  return { add: take, observe: take };
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
