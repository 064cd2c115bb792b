import type { Series } from "../../lib/alert-rule.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { eventRate, quantile } from "./promql.ts";

/** A dashboard in Grafana's own format, to import or to provision. */
export type Dashboard = Readonly<Record<string, unknown>>;

interface Panel {
  readonly title: string;
  /** Grafana's name of a unit: `reqps`, `ms`, `percentunit`, `short`. */
  readonly unit: string;
  readonly description?: string;
  readonly queries: readonly { readonly legend: string; readonly query: string }[];
}

/** The window that Grafana chooses for the shown time range and the scrape interval. */
const window = "$__rate_interval";

const quantiles = [0.5, 0.95, 0.99] as const;

const requests: Series = { metric: "requests", kind: "counter", labels: {} };
const serverErrors: Series = { ...requests, labels: { status: "5xx" } };
const durations: Series = { metric: "request_ms", kind: "histogram", labels: {} };

/** Grafana's grid has 24 columns: two panels side by side. */
const panelWidth = 12;
const panelHeight = 8;

/** Charts of the requests of an application, and of every counter and histogram that it declares. */
export function grafanaDashboard(app: App): Dashboard {
  const panels = [...requestPanels, ...counterPanels(app), ...histogramPanels(app)];
  return {
    // The same each time, so that a newer dashboard replaces the older one.
    uid: `fw-${app.name}`.slice(0, 40),
    title: app.name,
    tags: ["fw"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }] },
    panels: panels.map(panelJson),
  };
}

const requestPanels: readonly Panel[] = [
  {
    title: "Requests by route",
    unit: "reqps",
    description: "Answered requests, and runs of crons and job tasks, per second.",
    queries: [{ legend: "{{route}}", query: eventRate(requests, window, ["route"]) }],
  },
  {
    title: "Server errors",
    unit: "percentunit",
    description: "The share of requests that were answered with 5xx.",
    queries: [
      {
        legend: "{{route}}",
        query: `${eventRate(serverErrors, window, ["route"])} / ${eventRate(requests, window, ["route"])}`,
      },
    ],
  },
  { title: "Duration", unit: "ms", queries: quantileQueries(durations) },
  {
    title: "95th percentile by route",
    unit: "ms",
    queries: [{ legend: "{{route}}", query: quantile(0.95, durations, window, ["route"]) }],
  },
];

function counterPanels(app: App): readonly Panel[] {
  return allOfKind(app.packages, "counter").map(({ name }) => ({
    title: name,
    unit: "cps",
    queries: [{ legend: name, query: eventRate({ metric: name, kind: "counter", labels: {} }, window) }],
  }));
}

function histogramPanels(app: App): readonly Panel[] {
  return allOfKind(app.packages, "histogram").map(({ name }) => ({
    title: name,
    unit: name.endsWith("_ms") ? "ms" : name.endsWith("_bytes") ? "bytes" : "short",
    queries: quantileQueries({ metric: name, kind: "histogram", labels: {} }),
  }));
}

function quantileQueries(series: Series): Panel["queries"] {
  return quantiles.map((share) => ({ legend: `p${100 * share}`, query: quantile(share, series, window) }));
}

function panelJson({ title, unit, description, queries }: Panel, index: number): object {
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
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: "never" } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(({ legend, query }, target) => ({
      refId: String.fromCharCode(65 + target),
      datasource,
      expr: query,
      legendFormat: legend,
    })),
  };
}
