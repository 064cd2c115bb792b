/** The name of a metric in OpenMetrics: hyphens become underscores, and the format adds `_total` to counters itself. */
export function openMetricsName(declaredName: string): string {
  return declaredName.replaceAll("-", "_").replace(/(?<=.)_total$/, "");
}
