import { ask } from "../parts/ask.js";
import { field, h } from "../parts/elements.js";
import { counted, ms, number, rangeText } from "../parts/format.js";
import { latestOnly } from "../parts/latest.js";
import { ranges } from "../parts/ranges.js";
import { routeName } from "../parts/links.js";
import { model } from "../parts/live.js";
import { stepName } from "../parts/step-name.js";
import { heatMap } from "../parts/heat-map.js";
import { timeChart } from "../parts/time-chart.js";

/** The upper bound to draw for the highest bucket of a histogram, in milliseconds: twice its lower bound. */
const highestBound = 524_288;

/** Creates the charts of all requests, a service or a route over a recent time range. `route` is the initial choice. */
export function overview(route) {
  const range = h(
    "select",
    { onchange: () => load() },
    Object.entries(ranges).map(([value, label]) => h("option", { value }, label)),
  );
  const scope = h("select", { onchange: () => load() }, scopes(route));
  const charts = newCharts();
  const summary = h("p", { class: "muted", role: "status" });

  const begin = latestOnly();
  async function load() {
    const isLatest = begin();
    const routes = routesOf(scope.value);
    const data = await ask("timeline", { range: Number(range.value) * 60_000, ...(routes && { routes }) });
    if (!isLatest()) return;
    const total = data.samples.reduce((sum, each) => sum + each, 0);
    const pause = `a point every ${data.step} seconds`;
    summary.textContent = `${counted(total, "request")}, ${pause}. Percentiles are as precise as the histogram's buckets.`;
    for (const { chart, lines } of charts)
      if (lines) chart.update(data.times, lines(data));
      else chart.update(data);
  }

  const nodes = [
    h("div", { class: "tools" }, field("Range", range), field("Requests of", scope)),
    summary,
    h(
      "div",
      { class: "charts" },
      charts.map(({ chart }) => chart.node),
    ),
  ];
  return { nodes, load };
}

function scopes(chosen) {
  const services = (model?.graph.services ?? []).map(({ name }) =>
    h("option", { value: `service ${name}` }, `service ${name}`),
  );
  const routes = (model?.routes ?? [])
    .map(routeName)
    .map((route) => h("option", { value: `route ${route}`, selected: route === chosen }, route));
  return [h("option", { value: "" }, "all routes"), ...services, ...routes];
}

/** Returns the routes of a scope; undefined for all. */
function routesOf(scope) {
  if (scope === "") return undefined;
  const [kind] = scope.split(" ", 1);
  const name = scope.slice(kind.length + 1);
  if (kind === "route") return [name];
  return (model?.routes ?? []).filter(({ service }) => service === name).map(routeName);
}

/** Creates each chart, with the function that derives its lines from the data. */
function newCharts() {
  const rate = timeChart({ title: "Requests per second", format: perSecond });
  const errors = timeChart({ title: "Share of 5xx responses", format: percent });
  const duration = timeChart({ title: "Duration, up to", format: ms, isLogarithmic: true });
  const latencies = heatMap("Requests by duration");
  const depth = timeChart({ title: "Messages waiting", format: number, isWhole: true });
  const age = timeChart({ title: "Age of the oldest message", format: seconds });
  const failures = timeChart({ title: "Failed deliveries", format: number, isWhole: true });
  const dead = timeChart({ title: "Dead messages", format: number, isWhole: true });
  const runs = timeChart({ title: "Runs of crons and jobs", format: number, isWhole: true });
  const memory = timeChart({ title: "Memory", format: (value) => `${number(value)} MB` });
  const delay = timeChart({ title: "Longest delay of the event loop", format: ms });
  const counts = timeChart({ title: "Counters and histograms, growth", format: number });
  return [
    {
      chart: rate,
      lines: (data) => [
        {
          label: "requests",
          values: data.rate,
          describe: (i) => `${perSecond(data.rate[i])}, ${number(data.samples[i])} in all`,
        },
      ],
    },
    {
      chart: errors,
      lines: (data) => [
        {
          label: "5xx",
          values: data.errors,
          describe: (i) => `${percent(data.errors[i])} of ${number(data.samples[i])}`,
        },
      ],
    },
    { chart: duration, lines: durationLines },
    { chart: latencies },
    { chart: depth, lines: ({ queues }) => linesOf(queues, "depth") },
    { chart: age, lines: ({ queues }) => linesOf(queues, "age") },
    {
      chart: failures,
      lines: (data) => Object.entries(data.failures).map(([name, values]) => ({ label: stepName(name), values })),
    },
    { chart: dead, lines: (data) => (data.dead.some(Boolean) ? [{ label: "dead", values: data.dead }] : []) },
    {
      chart: runs,
      lines: ({ runs: all }) =>
        Object.entries(all).flatMap(([name, { completed, failed }]) => [
          { label: name, values: completed },
          ...(failed.some(Boolean) ? [{ label: `${name}, failed`, values: failed }] : []),
        ]),
    },
    { chart: memory, lines: ({ processes }) => linesOf(processes, "memory") },
    { chart: delay, lines: ({ processes }) => linesOf(processes, "delay") },
    { chart: counts, lines: (data) => Object.entries(data.counts).map(([label, values]) => ({ label, values })) },
  ];
}

function linesOf(byName, measure) {
  return Object.entries(byName).map(([label, each]) => ({ label, values: each[measure] }));
}

/** Returns the lines of the percentiles, drawn at the upper bounds of their buckets. */
function durationLines(data) {
  return Object.entries(data.percentiles).map(([label, values]) => ({
    label,
    values: values.map((each) => each && (each.to ?? highestBound)),
    describe: (i) => `${rangeText(data.percentiles[label][i], ms)}, of ${number(data.samples[i])}`,
  }));
}

/** Formats a rate, with two significant digits if it is below one. */
function perSecond(value) {
  return `${value.toLocaleString(undefined, value < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 })}/s`;
}

function percent(share) {
  return `${number(share * 100)} %`;
}

function seconds(value) {
  if (value === 0) return "0 s";
  return value < 1 ? ms(value * 1_000) : `${number(Math.round(value))} s`;
}
