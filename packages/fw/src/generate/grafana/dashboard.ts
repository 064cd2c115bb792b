import { metricCharts, type ChartUnit, type MetricChart } from "../../lib/metric-charts.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { promQL } from "./promql.ts";

/** A dashboard in Grafana's own format, for import or provisioning. */
export type Dashboard = Readonly<Record<string, unknown>>;

/** The window that Grafana derives from the displayed time range and the scrape interval. */
const window = "$__rate_interval";

const units: Readonly<Record<ChartUnit, string>> = {
  requests: "reqps",
  events: "cps",
  share: "percentunit",
  ms: "ms",
  bytes: "bytes",
  values: "short",
};

/** Half of Grafana's 24-column grid, for two panels side by side. */
const panelWidth = 12;
const panelHeight = 8;

/** Returns a dashboard with an application's requests, and every counter and histogram that it declares. */
export function grafanaDashboard(app: App): Dashboard {
  const namesOf = (kind: "counter" | "histogram"): readonly string[] =>
    allOfKind(app.packages, kind).map(({ name }) => name);
  return {
    // Stable, so that a newer dashboard replaces the older one.
    uid: `fw-${app.name}`.slice(0, 40),
    title: app.name,
    tags: ["fw"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }] },
    panels: metricCharts(namesOf("counter"), namesOf("histogram")).map(panelJson),
  };
}

function panelJson({ title, unit, description, lines }: MetricChart, index: number): object {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  return {
    id: index + 1,
    type: "timeseries",
    title,
    ...(description !== undefined && { description }),
    datasource,
    gridPos: {
      x: (index % 2) * panelWidth,
      y: Math.floor(index / 2) * panelHeight,
      w: panelWidth,
      h: panelHeight,
    },
    fieldConfig: {
      defaults: { unit: units[unit], min: 0, custom: { fillOpacity: 10, showPoints: "never" } },
      overrides: [],
    },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: lines.map((line, target) => ({
      refId: String.fromCharCode(65 + target),
      datasource,
      expr: promQL.chartLine(line, window),
      legendFormat: line.legend ?? `{{${line.by}}}`,
    })),
  };
}
