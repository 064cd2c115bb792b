/**
 * Converts a metric's name for OpenMetrics: hyphens become underscores. The format itself appends `_total` to counters.
 */
export function openMetricsName(declaredName: string): string {
  return declaredName.replaceAll("-", "_").replace(/(?<=.)_total$/, "");
}
