import type { Manifest, ManifestService } from "../../build/manifest.ts";
import { grouped } from "../../lib/grouped.ts";
import { metricCharts, type ChartUnit } from "../../lib/metric-charts.ts";
import * as names from "../../platform/gcp/names.ts";
import type { DeployPlace } from "../deploy-place.ts";
import type { Fields } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { promQLOf } from "./cloud-promql.ts";
import { sourcesOf } from "./messages.ts";
import { isService, ownedResource, type ResourceInputs } from "./resource-inputs.ts";

/** The interval that Cloud Monitoring chooses for the displayed time range. */
const window = "${__interval}";

/** The columns of the grid. A widget takes half of them. */
const columns = 12;
const widgetHeight = 4;

/** Limit: widgets in a Cloud Monitoring dashboard. If there are more charts, similar ones are combined. */
const mostWidgets = 100;

/** A chart of Cloud Monitoring, with the unit of its values in UCUM. */
interface CloudChart {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly CloudLine[];
}

/** A PromQL query. Without a legend, its lines are named by their labels. */
interface CloudLine {
  readonly query: string;
  readonly legend?: string | undefined;
}

const units: Readonly<Record<ChartUnit, string>> = {
  requests: "1/s",
  events: "1/s",
  share: "10^2.%",
  ms: "ms",
  bytes: "By",
  values: "1",
};

/** Returns the application's dashboard in Cloud Monitoring. Dashboards are free of charge. */
export function dashboardOf(inputs: ResourceInputs): Resource {
  const { manifest, place } = inputs;
  const title = names.namespaceOf(place);
  const platform = [...messageCharts(inputs), ...instanceCharts(inputs)];
  const fixed = [...platform.map(chartWidget), ...errorWidgets(inputs)];
  const metrics = fittingCharts(metricChartsOf(manifest, place), mostWidgets - fixed.length);
  const widgets = [...metrics.map(chartWidget), ...fixed];
  const spec = {
    displayName: title,
    labels: names.labelsOf(place),
    mosaicLayout: { columns, tiles: widgets.map(tileOf) },
  };
  return ownedResource("dashboard", `dashboards/${title}`, "dashboard", spec);
}

function metricChartsOf({ resources }: Manifest, place: DeployPlace): readonly CloudChart[] {
  const promQL = promQLOf(place);
  return metricCharts(resources.counters, resources.histograms).map(({ title, unit, lines }) => ({
    title,
    unit: units[unit],
    lines: lines.map((line) => ({ query: promQL.chartLine(line, window), legend: line.legend })),
  }));
}

/** Merges charts of declared metrics with the same unit until there are at most `most` charts. */
function fittingCharts(charts: readonly CloudChart[], most: number): readonly CloudChart[] {
  if (charts.length <= most) return charts;
  const requests = charts.slice(0, metricCharts([], []).length);
  const declared = charts.slice(requests.length);
  const byUnit = grouped(declared, ({ unit }) => unit);
  const size = Math.ceil(declared.length / (most - requests.length - byUnit.size));
  const drawn = [...byUnit.values()].flatMap((alike) => mergedBy(size, alike));
  return [...requests, ...drawn];
}

function mergedBy(size: number, charts: readonly CloudChart[]): readonly CloudChart[] {
  return Array.from({ length: Math.ceil(charts.length / size) }, (_, at) =>
    merged(charts.slice(at * size, (at + 1) * size)),
  );
}

function merged(charts: readonly CloudChart[]): CloudChart {
  const { unit = "" } = charts[0] ?? {};
  return {
    title: charts.map(({ title }) => title).join(", "),
    unit,
    lines: charts.flatMap(({ title, lines }) =>
      lines.map(({ query, legend }) => ({ query, legend: legend && legend !== title ? `${title} ${legend}` : legend })),
    ),
  };
}

/** Returns charts of waiting messages, their age in subscriptions, and dead letters. Empty without consumers. */
function messageCharts(inputs: ResourceInputs): readonly CloudChart[] {
  const { manifest, place } = inputs;
  const consumers = manifest.services.filter((service) => isService(service) && service.receives !== undefined);
  const [queues, subscriptions] = [queueNames(inputs, consumers), subscriptionNames(inputs, consumers)];
  const holds = consumers.map(({ name }) => names.deadHoldName(place, name));
  const charts: readonly CloudChart[] = [
    {
      title: "Waiting messages",
      unit: "1",
      lines: [...gauge(queueDepth, queueResource, queues), ...gauge(undelivered, subscriptionResource, subscriptions)],
    },
    {
      title: "Age of the oldest message",
      unit: "s",
      lines: gauge(oldestAge, subscriptionResource, subscriptions),
    },
    { title: "Dead letters", unit: "1", lines: gauge(undelivered, subscriptionResource, holds) },
  ];
  return charts.filter(({ lines }) => lines.length > 0);
}

function queueNames({ place }: ResourceInputs, consumers: readonly ManifestService[]): readonly string[] {
  return consumers.flatMap(({ receives }) =>
    receives?.source.kind === "queue" ? [names.queueName(place, receives.source.name)] : [],
  );
}

function subscriptionNames(inputs: ResourceInputs, consumers: readonly ManifestService[]): readonly string[] {
  return consumers.flatMap(({ name, receives }) =>
    receives === undefined || receives.source.kind === "queue"
      ? []
      : sourcesOf(inputs, receives.source).map((topic) => names.subscriptionName(topic, name)),
  );
}

/** Google's metrics under their PromQL names. */
const queueDepth = "cloudtasks_googleapis_com:queue_depth";
const undelivered = "pubsub_googleapis_com:subscription_num_undelivered_messages";
const oldestAge = "pubsub_googleapis_com:subscription_oldest_unacked_message_age";

const queueResource = { type: "cloud_tasks_queue", label: "queue_id" } as const;
const subscriptionResource = { type: "pubsub_subscription", label: "subscription_id" } as const;
const revisionResource = { type: "cloud_run_revision", label: "service_name" } as const;

type MonitoredResource = typeof queueResource | typeof subscriptionResource | typeof revisionResource;

/** Returns a query with a line for each named resource; empty if there are no names. */
function gauge(metric: string, resource: MonitoredResource, resourceNames: readonly string[]): readonly CloudLine[] {
  return resourceNames.length === 0
    ? []
    : [{ query: `max by (${resource.label}) (${metric}{${matchersOf(resource, resourceNames)}})` }];
}

/**
 * Formats label matchers for resources. Writes a dot in a name as `[.]`, because a backslash would itself have to be
 * escaped in PromQL.
 */
function matchersOf({ type, label }: MonitoredResource, resourceNames: readonly string[]): string {
  const pattern = resourceNames
    .toSorted()
    .map((name) => name.replaceAll(".", "[.]"))
    .join("|");
  return `monitored_resource="${type}",${label}=~"${pattern}"`;
}

function instanceCharts(inputs: ResourceInputs): readonly CloudChart[] {
  const services = runNames(inputs);
  if (services.length === 0) return [];
  const counts = `run_googleapis_com:container_instance_count{${matchersOf(revisionResource, services)}}`;
  const memory = `run_googleapis_com:container_memory_utilizations_bucket{${matchersOf(revisionResource, services)}}`;
  return [
    { title: "Instances", unit: "1", lines: [{ query: `sum by (service_name) (${counts})` }] },
    {
      title: "Memory, 99th percentile",
      unit: units.share,
      lines: [{ query: `histogram_quantile(0.99, sum by (service_name, le) (rate(${memory}[${window}])))` }],
    },
  ];
}

/** Returns the names of the application's Cloud Run services. */
function runNames({ manifest, place }: ResourceInputs): readonly string[] {
  return manifest.services.filter(isService).map(({ name }) => names.serviceName(place, name));
}

function chartWidget({ title, unit, lines }: CloudChart): Fields {
  const dataSets = lines.map(({ query, legend }) => ({
    plotType: "LINE",
    targetAxis: "Y1",
    timeSeriesQuery: { prometheusQuery: query, unitOverride: unit },
    ...(legend !== undefined && { legendTemplate: legend }),
  }));
  return { title, xyChart: { dataSets, yAxis: { scale: "LINEAR" } } };
}

function errorWidgets(inputs: ResourceInputs): readonly Fields[] {
  const services = runNames(inputs)
    .toSorted()
    .map((name) => JSON.stringify(name));
  if (services.length === 0) return [];
  const filter = `resource.labels.service_name=(${services.join(" OR ")})\nseverity>=ERROR`;
  return [{ title: "Errors in the log", logsPanel: { filter } }];
}

/** Places a widget in the grid by its index; the API omits positions of zero. */
function tileOf(widget: Fields, index: number): Fields {
  const width = columns / 2;
  return {
    xPos: (index % 2) * width,
    yPos: Math.floor(index / 2) * widgetHeight,
    width,
    height: widgetHeight,
    widget,
  };
}
