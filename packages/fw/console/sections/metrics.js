import { ask } from "../parts/ask.js";
import { h, labelledTable, none, td, tr, undeclared } from "../parts/elements.js";
import { ms, number, rangeText } from "../parts/format.js";
import { canOpen, sectionLink } from "../parts/links.js";
import { declared } from "../parts/live.js";
import { overview } from "./charts.js";

/** The metrics that fw records for every endpoint. */
const automatic = new Set(["requests", "request_ms"]);

/**
 * Creates the section with charts over time, metrics, endpoints and alerts. `route` in `query` is the initial route of
 * the charts.
 */
export function metrics(query) {
  const charts = overview(query.get("route"));
  const [own, endpoints, alerts] = [h("div", { class: "tiles" }), h("div", {}), h("div", {})];
  async function load() {
    const { series } = await ask("metrics");
    const tiles = tilesOf(series.filter(({ name }) => !automatic.has(name)));
    await charts.load();
    own.replaceChildren(...tiles);
    endpoints.replaceChildren(endpointTable(series));
    alerts.replaceChildren(alertTable(await ask("alerts")));
  }
  return {
    nodes: [
      h("h1", {}, "Metrics"),
      ...charts.nodes,
      h("h2", {}, "Endpoints"),
      endpoints,
      h("h2", {}, "Counters and histograms"),
      own,
      h("h2", {}, "Alerts"),
      alerts,
    ],
    load,
    every: 2000,
  };
}

function tilesOf(series) {
  if (series.length > 0) return series.map(tile);
  return [none("The application declares no Counter or Histogram, or none has a value yet.")];
}

function tile(series) {
  const { name, labels, kind } = series;
  const label = Object.values(labels).join(" ");
  return h(
    "div",
    { class: "card tile" },
    h("p", { class: "name" }, name),
    label && h("div", { class: "muted mono" }, label),
    h("div", { class: "value" }, number(kind === "counter" ? series.value : series.count)),
    kind === "histogram" &&
      series.count > 0 &&
      h(
        "div",
        { class: "muted" },
        `p50 ${rangeText(series.p50, number)}, p95 ${rangeText(series.p95, number)}, p99 ${rangeText(series.p99, number)}`,
      ),
  );
}

function endpointTable(series) {
  const took = series.filter(({ name, count }) => name === "request_ms" && count > 0);
  if (took.length === 0) return none("No requests yet.");
  const responses = ({ route }) =>
    series
      .filter(({ name, labels, value }) => name === "requests" && labels.route === route && value > 0)
      .flatMap(({ labels, value }) => [responseCount(labels.status, value), " "]);
  const percentiles = ["p50", "p95", "p99"];
  return labelledTable(
    "Endpoints",
    ["Route", ["Requests", "number"], ...percentiles.map((each) => [each, "number"])],
    took.map((each) =>
      tr(
        td("mono text", routeLink(each.labels.route), h("div", {}, responses(each.labels))),
        td("number", number(each.count)),
        ...percentiles.map((percentile) => td("number", rangeText(each[percentile], ms))),
      ),
    ),
  );
}

/** Links a route to its requests, if the server shows them. */
function routeLink(route) {
  if (!canOpen("requests")) return route;
  return h("a", { href: sectionLink("requests", { filter: `route:"${route}"` }) }, route);
}

/** Formats a number of responses. `status` is a class, such as 4xx. */
function responseCount(status, count) {
  return h("span", { class: { 5: "bad", 4: "warn" }[status[0]] ?? "good" }, `${status} ${number(count)}`);
}

function alertTable({ firing }) {
  const known = declared("alerts");
  if (known.length === 0) return undeclared("Alert");
  const state = (name) =>
    firing.includes(name) ? h("span", { class: "bad" }, "firing") : h("span", { class: "good" }, "quiet");
  return labelledTable(
    "Alerts",
    ["Alert", "State", "Condition", "Evaluated", "Notifies"],
    known.map((alert) =>
      tr(
        alert.name,
        td("tight", state(alert.name)),
        td("text", alert.if),
        td("tight", `every ${alert.every}, for ${alert.for}`),
        alert.notify.join(", "),
      ),
    ),
  );
}
