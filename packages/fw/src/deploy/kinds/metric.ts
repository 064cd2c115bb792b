import { pathIn } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { fieldsOf, listOf, textOf, type Fields, type Value } from "../fields.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { restDriver } from "./rest-driver.ts";

/** A metric descriptor, shared by all applications of a project that declare a metric with its name. */
export const metric: Driver = restDriver({
  stage: "make",
  api: "monitoring",
  create: async ({ id, spec }, cloud) => {
    const path = pathIn("monitoring", id.replace(/\/metricDescriptors\/.*$/, "/metricDescriptors"));
    await cloud.call({ api: "monitoring", method: "POST", path, body: spec, repeatable: true });
  },
  patch: (resource, cloud) => metric.create(resource, cloud),
  normalize: (live, { spec }) => ({ ...live, labels: sharedLabels(spec["labels"], live["labels"]) }),
  fixed: ["metricKind", "valueType"],
  terraform: ({ title, spec }) => [
    { type: "google_monitoring_metric_descriptor", body: { display_name: title, description: title, ...bodyOf(spec) } },
  ],
});

/** Returns the declared labels that the live metric also has, in the declared order. */
function sharedLabels(declaredLabels: Value | undefined, live: Value | undefined): readonly Fields[] {
  const liveKeys = keysOf(live);
  return keysOf(declaredLabels)
    .filter((key) => liveKeys.includes(key))
    .map((key) => ({ key }));
}

function keysOf(labels: Value | undefined): readonly string[] {
  return listOf(labels).map((label) => textOf(fieldsOf(label)["key"]));
}
