import type { Series } from "../../lib/alert-rule.ts";
import * as names from "../../platform/gcp/names.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** Events per second, in Cloud Monitoring's PromQL. With `by`, one series for each value of that label. */
export function eventRate(series: Series, place: DeployPlace, window: string, by?: string): string {
  return `sum${by === undefined ? "" : ` by (${by}) `}(rate(${seriesOf(series, place)}[${window}]))`;
}

/** A quantile, estimated from a histogram's buckets. */
export function quantileOf(quantile: number, series: Series, place: DeployPlace, window: string, by?: string): string {
  const labels = by === undefined ? "le" : `${by}, le`;
  const buckets = `sum by (${labels}) (rate(${seriesOf(series, place, "_bucket")}[${window}]))`;
  return `histogram_quantile(${quantile}, ${buckets})`;
}

/** Selects a metric of the application in its environment. */
export function seriesOf({ metric, kind, service, labels }: Series, place: DeployPlace, suffix?: string): string {
  const values = {
    monitored_resource: "generic_task",
    namespace: names.namespaceOf(place),
    ...(service !== undefined && { job: service }),
    ...labels,
  };
  const ending = suffix ?? (kind === "histogram" ? "_count" : "");
  const matchers = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `custom_googleapis_com:${metric.replaceAll(/[^A-Za-z0-9_]/g, "_")}${ending}{${matchers.join(",")}}`;
}
