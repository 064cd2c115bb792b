import type { AlertCondition, Series, Threshold } from "../../lib/alert-rule.ts";
import { openMetricsName } from "../../lib/metric-name.ts";

/** The PromQL expression that has a result while the condition holds, over a window such as `5m`. */
export function conditionQuery(condition: AlertCondition, window: string): string {
  const { kind, of } = condition;
  if (kind === "absent") return `${orZero(`sum(increase(${selector(of)}[${window}]))`)} == 0`;
  if (kind === "rate") return compare(orZero(eventRate(of, window)), condition);
  if (kind === "percentile") return compare(quantile(condition.quantile, of, window), condition);
  // Without events the quotient is NaN, which no comparison accepts.
  return compare(`${orZero(eventRate(of, window))} / ${eventRate(condition.to, window)}`, condition);
}

/** Events per second of a counter, or values per second of a histogram; `by` lists the labels to group by. */
export function eventRate(series: Series, window: string, by: readonly string[] = []): string {
  return `sum${grouping(by)}(rate(${selector(series)}[${window}]))`;
}

/** An estimate of a quantile from a histogram's buckets. */
export function quantile(share: number, series: Series, window: string, by: readonly string[] = []): string {
  const buckets = `${openMetricsName(series.metric)}_bucket${matchers(series.labels)}`;
  return `histogram_quantile(${share}, sum${grouping([...by, "le"])}(rate(${buckets}[${window}])))`;
}

function selector({ metric, kind, labels }: Series): string {
  return `${openMetricsName(metric)}_${kind === "counter" ? "total" : "count"}${matchers(labels)}`;
}

function matchers(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoteText(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function quoteText(text: string): string {
  return `"${text.replace(/[\\"]/g, (character) => `\\${character}`).replaceAll("\n", "\\n")}"`;
}

function grouping(labels: readonly string[]): string {
  return labels.length === 0 ? "" : ` by (${labels.join(", ")}) `;
}

/** Metrics that were never counted have no sample in Prometheus; they count as 0. */
function orZero(query: string): string {
  return `(${query} or vector(0))`;
}

function compare(query: string, { comparison, threshold }: Threshold): string {
  return `${query} ${comparison === "above" ? ">" : "<"} ${threshold}`;
}
