import { ask } from "../parts/ask.js";
import { field, h, keyed, labelledTable, none, renew, td, tr } from "../parts/elements.js";
import { containsWords } from "../parts/event-list.js";
import { counted, ms, number, rangeText } from "../parts/format.js";
import { latestOnly } from "../parts/latest.js";
import { canOpen, sectionLink } from "../parts/links.js";
import { declared, events } from "../parts/live.js";
import { queryText } from "../parts/query-text.js";
import { ranges } from "../parts/ranges.js";
import { sortableHeads } from "../parts/sort.js";
import { stepName } from "../parts/step-name.js";

const kinds = {
  "": "All",
  data: "Queries and other operations on data",
  outgoing: "Requests to other servers",
  call: "Calls to services",
};

/** The sortable columns, with the value to compare. */
const measures = {
  Count: ({ count }) => count,
  Total: ({ ms: total }) => total,
  p50: ({ p50 }) => p50?.to ?? Number.MAX_VALUE,
  p95: ({ p95 }) => p95?.to ?? Number.MAX_VALUE,
  Longest: ({ longest }) => longest,
  Documents: ({ documents }) => documents,
};

/**
 * Creates the section with the queries and calls of all requests, grouped by their shape and route. `kind` and `filter`
 * in `query` are initial choices.
 */
export function steps(query) {
  const range = h(
    "select",
    { onchange: () => load() },
    Object.entries(ranges).map(([value, label]) => h("option", { value }, label)),
  );
  range.value = "30";
  const kind = h(
    "select",
    { onchange: () => show() },
    Object.entries(kinds).map(([value, label]) => h("option", { value, selected: value === query.get("kind") }, label)),
  );
  const filter = h("input", {
    type: "search",
    placeholder: "entity, field, host, route",
    value: query.get("filter") ?? "",
    oninput: () => show(),
  });
  const sort = sortableHeads(measures, "Total", () => show());
  const list = labelledTable(
    "Queries and calls",
    ["Step", "Route", ...Object.keys(measures).map((name) => [sort.head(name), "number"])],
    [],
  );
  const summary = h("p", { class: "muted", role: "status" });
  const nothing = h("div", {});
  let rows = [];

  const begin = latestOnly();
  async function load() {
    const isLatest = begin();
    const loaded = await ask("steps", { range: Number(range.value) * 60_000 });
    if (!isLatest()) return;
    rows = loaded;
    show();
  }

  function show() {
    const matches = containsWords(filter);
    const shown = rows.filter((row) => (kind.value === "" || row.kind === kind.value) && matches(row));
    const examples = slowestTraces();
    renew(list.rows, ...shown.toSorted(sort.compare).map((row) => stepRow(row, examples.get(row.key))));
    list.hidden = shown.length === 0;
    nothing.replaceChildren(...(shown.length === 0 ? [none(nothingText())] : []));
    const count = shown.reduce((sum, row) => sum + row.count, 0);
    summary.textContent = `${counted(count, "step")} of ${counted(shown.length, "kind")}. Percentiles are as precise as the buckets of the counts.`;
  }

  const nothingText = () =>
    rows.length > 0
      ? "No queries or calls match."
      : "No queries or calls in this time. Open the application to see its.";

  return {
    nodes: [
      h("h1", {}, "Queries and calls"),
      h(
        "div",
        { class: "tools" },
        field("Filter", filter, { class: "wide" }),
        field("Range", range),
        field("Show", kind),
        field("Sort by", sort.select),
      ),
      summary,
      nothing,
      list,
    ],
    load,
    every: 2000,
  };
}

function stepRow(row, trace) {
  const { key, name, route, count, failed, waits, query, indexes, kind, documents } = row;
  const described = query ? queryText(query, indexes) : "";
  return keyed(
    key,
    tr(
      td(
        "text",
        h("div", { class: "mono" }, name),
        described && h("div", { class: "muted" }, described),
        failed > 0 && h("div", { class: "bad" }, `${number(failed)} failed`),
        waits > 0 && h("div", { class: "warn" }, `${number(waits)} waited for an index`),
        trace && h("a", { href: sectionLink("requests", { filter: `trace:${trace}` }) }, "Trace of a slow one"),
      ),
      td("text", routeLink(route)),
      td("number", number(count)),
      td("number", ms(row.ms)),
      td("number range", rangeText(row.p50, unbrokenMs)),
      td("number range", rangeText(row.p95, unbrokenMs)),
      td("number", ms(row.longest)),
      td("number", kind === "data" ? number(documents) : ""),
    ),
  );
}

/** Formats a duration without a break between the number and its unit. */
function unbrokenMs(value) {
  return ms(value).replace(" ", "\u00a0");
}

/** Links a route to its requests; a delivery, a cron or a job has none. */
function routeLink(route) {
  if (route === undefined) return "";
  const isCron = declared("crons").some(({ name }) => route === `/_fw/api/cron/${name}`);
  if (!canOpen("requests") || !/^[A-Z*]+ /.test(route)) return stepName(route, isCron ? "cron" : "job");
  return h("a", { href: sectionLink("requests", { filter: `route:"${route}"` }) }, route);
}

/**
 * Finds the trace with the slowest step of each shape, by shape. Ignores traces without a request among the page's
 * events.
 */
function slowestTraces() {
  const traces = new Set(events.flatMap((event) => (event.kind === "request" ? [event.trace] : [])));
  const slowest = new Map();
  for (const event of events) {
    if (event.shape === undefined || !traces.has(event.trace)) continue;
    if (!(slowest.get(event.shape)?.ms >= event.ms)) slowest.set(event.shape, event);
  }
  return new Map([...slowest].map(([shape, { trace }]) => [shape, trace]));
}
