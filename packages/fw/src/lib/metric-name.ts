/**
 * Converts a metric's name for OpenMetrics: hyphens become underscores, and `_total` at the end is removed, because the
 * format itself appends it to counters.
 */
export function openMetricsName(declaredName: string): string {
  return declaredName.replaceAll("-", "_").replace(/(?<=.)_total$/, "");
}
