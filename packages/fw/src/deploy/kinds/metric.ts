import type { Driver } from "../driver.ts";
import { isFields, type Fields, type Value } from "../fields.ts";
import { textOf } from "./marked.ts";
import { bodyOf } from "../terraform/written.ts";

/** The description of a metric, which all applications of a project that have one of that name share. */
export const metric: Driver = {
  stage: "make",
  api: "monitoring",
  read: ({ id }, cloud) => cloud.find({ api: "monitoring", method: "GET", path: `/v3/${id}` }),
  create: async ({ id, spec }, cloud) => {
    const path = `/v3/${id.replace(/\/metricDescriptors\/.*$/, "/metricDescriptors")}`;
    await cloud.call({ api: "monitoring", method: "POST", path, body: spec, repeatable: true });
  },
  patch: (resource, _live, _changes, cloud) => metric.create(resource, cloud),
  normalize: (live, { spec }) => ({ ...live, labels: sharedLabels(spec["labels"], live["labels"]) }),
  fixed: ["metricKind", "valueType"],
  terraform: ({ title, spec }) => [
    { type: "google_monitoring_metric_descriptor", body: { display_name: title, description: title, ...bodyOf(spec) } },
  ],
};

/** Those labels of the live metric that are declared, in the declared order. */
function sharedLabels(declared: Value | undefined, live: Value | undefined): readonly Fields[] {
  const there = new Set((Array.isArray(live) ? live : []).map((label: Value) => keyOf(label)));
  const wanted = Array.isArray(declared) ? declared : [];
  return wanted
    .map((label: Value) => keyOf(label))
    .filter((key) => there.has(key))
    .map((key) => ({ key }));
}

function keyOf(label: Value): string {
  return isFields(label) ? textOf(label["key"]) : "";
}
