import { parser } from "@prometheus-io/lezer-promql";
import { fieldsOf, itemsOf, textOf, type Fields } from "../fields.ts";
import type { Resource } from "../resource.ts";

/** A metric as Cloud Monitoring offers it to PromQL. */
interface CloudMetric {
  readonly resource: string;
  readonly kind: "gauge" | "total" | "distribution";
  readonly labels: readonly string[];
}

const queue: CloudMetric = {
  resource: "cloud_tasks_queue",
  kind: "gauge",
  labels: ["project_id", "queue_id", "location", "target_type"],
};
const subscription: CloudMetric = {
  resource: "pubsub_subscription",
  kind: "gauge",
  labels: ["project_id", "subscription_id"],
};
const revision = ["project_id", "service_name", "revision_name", "location", "configuration_name"];

/** Metrics of Google's services by name, from https://cloud.google.com/monitoring/api/metrics_gcp. */
const googleMetrics: Readonly<Record<string, CloudMetric>> = {
  "cloudtasks_googleapis_com:queue_depth": queue,
  "pubsub_googleapis_com:subscription_num_undelivered_messages": subscription,
  "pubsub_googleapis_com:subscription_oldest_unacked_message_age": subscription,
  "run_googleapis_com:container_instance_count": {
    resource: "cloud_run_revision",
    kind: "gauge",
    labels: [...revision, "state"],
  },
  "run_googleapis_com:container_memory_utilizations": {
    resource: "cloud_run_revision",
    kind: "distribution",
    labels: [...revision, "container_name"],
  },
};

/** Returns the metrics that a deploy declares, by their PromQL names. */
function declaredMetrics(resources: readonly Resource[]): Readonly<Record<string, CloudMetric>> {
  const descriptors = resources.filter(({ kind }) => kind === "metric");
  return Object.fromEntries(
    descriptors.map(({ spec }): [string, CloudMetric] => {
      const own = itemsOf(spec["labels"]).map(({ key }) => textOf(key));
      return [
        textOf(spec["type"]).replace(".googleapis.com/", "_googleapis_com:").replaceAll("-", "_").replaceAll(".", "_"),
        {
          resource: "generic_task",
          kind: spec["valueType"] === "DISTRIBUTION" ? "distribution" : "total",
          labels: [...own, "project_id", "location", "namespace", "job", "task_id"],
        },
      ];
    }),
  );
}

/** Returns the queries of alerts and of the dashboard. */
export function cloudQueries(resources: readonly Resource[]): readonly string[] {
  return resources.flatMap(({ kind, spec }) => {
    if (kind === "alert")
      return itemsOf(spec["conditions"]).map((each) =>
        textOf(fieldsOf(each["conditionPrometheusQueryLanguage"])["query"]),
      );
    if (kind !== "dashboard") return [];
    const tiles = itemsOf(fieldsOf(spec["mosaicLayout"])["tiles"]);
    return tiles.flatMap((tile) => chartQueries(fieldsOf(fieldsOf(tile["widget"])["xyChart"])));
  });
}

function chartQueries(chart: Fields): readonly string[] {
  return itemsOf(chart["dataSets"]).map((data) => textOf(fieldsOf(data["timeSeriesQuery"])["prometheusQuery"]));
}

/** Lists the names in a deploy's queries that Cloud Monitoring would not find, and the series that it would misread. */
export function queryProblems(resources: readonly Resource[]): readonly string[] {
  const metrics = { ...googleMetrics, ...declaredMetrics(resources) };
  return cloudQueries(resources).flatMap((query) => {
    const parts = partsOf(query.replaceAll("${__interval}", "5m"));
    const problems = parts.get("⚠") ?? [];
    const grouping = (parts.get("GroupingLabels") ?? []).flatMap((labels) => labels.match(/\w+/g) ?? []);
    const selectors = (parts.get("VectorSelector") ?? []).flatMap((text) => selectorProblems(text, grouping, metrics));
    const inRanges = (parts.get("MatrixSelector") ?? []).join(" ");
    const wrongFunctions = Object.entries(metrics)
      .filter(([name, { kind }]) => query.includes(name) && inRanges.includes(name) === (kind === "gauge"))
      .map(([name]) => `${name} is read with the function of another kind`);
    return [...problems, ...selectors, ...wrongFunctions].map((problem) => `${problem}: ${query}`);
  });
}

function selectorProblems(
  text: string,
  grouping: readonly string[],
  metrics: Readonly<Record<string, CloudMetric>>,
): readonly string[] {
  const [name = ""] = /^[\w:]+/.exec(text) ?? [];
  const base = name.replace(/_(?:bucket|count|sum)$/, "");
  const metric = metrics[name] ?? metrics[base];
  const isSeries = metrics[name] === undefined;
  if (metric === undefined) return [`there is no metric ${name}`];
  const matchers = [...text.slice(name.length).matchAll(/([\w]+)=~?"([^"]*)"/g)];
  const usedLabels = [...grouping, ...matchers.map(([, label = ""]) => label)];
  const validLabels = new Set([
    ...metric.labels,
    "monitored_resource",
    ...(metric.kind === "distribution" ? ["le"] : []),
  ]);
  const resource = matchers.find(([, label]) => label === "monitored_resource")?.[2];
  return [
    ...usedLabels.filter((label) => !validLabels.has(label)).map((label) => `${name} has no label ${label}`),
    ...(resource === metric.resource ? [] : [`${name} belongs to ${metric.resource}, not ${String(resource)}`]),
    ...(isSeries === (metric.kind === "distribution") ? [] : [`${name} is not a series of a ${metric.kind}`]),
  ];
}

/** Returns the parts of a query by their names in Prometheus's grammar. */
function partsOf(query: string): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  parser.parse(query).iterate({
    enter: ({ name, from, to }) => void parts.set(name, [...(parts.get(name) ?? []), query.slice(from, to)]),
  });
  return parts;
}
