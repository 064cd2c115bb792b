import type { AlertCondition, Series, Threshold } from "../../lib/alert-rule.ts";
import { openMetricsName } from "../../lib/metric-name.ts";
import { PromQL } from "../../lib/promql.ts";

/** Returns the PromQL expression that has a result while the condition holds, over a window such as `5m`. */
export function conditionQuery(condition: AlertCondition, window: string): string {
  const { kind, of } = condition;
  if (kind === "absent") return `${orZero(`sum(increase(${selector(of)}[${window}]))`)} == 0`;
  if (kind === "rate") return compare(orZero(promQL.eventRate(of, window)), condition);
  if (kind === "percentile") return compare(promQL.quantile(condition.quantile, of, window), condition);
  // Without events, the quotient is NaN, for which every comparison is false.
  return compare(`${orZero(promQL.eventRate(of, window))} / ${promQL.eventRate(condition.to, window)}`, condition);
}

/** The series as Prometheus collects them from the application. */
export const promQL: PromQL = new PromQL((series, suffix) => selector(series, suffix));

function selector({ metric, kind, labels }: Series, suffix = kind === "counter" ? "_total" : "_count"): string {
  return `${openMetricsName(metric)}${suffix}${matchers(labels)}`;
}

function matchers(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoteText(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function quoteText(text: string): string {
  return `"${text.replace(/[\\"]/g, (character) => `\\${character}`).replaceAll("\n", "\\n")}"`;
}

/** Counts a metric without samples as 0: Prometheus has none until it is first counted. */
function orZero(query: string): string {
  return `(${query} or vector(0))`;
}

function compare(query: string, { comparison, threshold }: Threshold): string {
  return `${query} ${comparison === "above" ? ">" : "<"} ${threshold}`;
}
