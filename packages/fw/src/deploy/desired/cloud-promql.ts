import type { Series } from "../../lib/alert-rule.ts";
import { PromQL } from "../../lib/promql.ts";
import * as names from "../../platform/gcp/names.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** Returns a writer of queries in Cloud Monitoring's PromQL. */
export function promQLOf(place: DeployPlace): PromQL {
  return new PromQL((series, suffix) => seriesOf(series, place, suffix));
}

/** Selects a metric of the application in its environment. */
function seriesOf({ metric, kind, service, labels }: Series, place: DeployPlace, suffix?: string): string {
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
