import type { Series } from "../../lib/alert-rule.ts";
import { openMetricsName } from "../../lib/metric-name.ts";
import { PromQL } from "../../lib/promql.ts";

/** Writes PromQL with the names that series have in Prometheus, which scrapes the application. */
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
