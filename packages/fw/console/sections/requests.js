import { ask, can } from "../parts/ask.js";
import { withDetail } from "../parts/detail.js";
import { field, h, inLines, table, td, tr } from "../parts/elements.js";
import { eventList } from "../parts/event-list.js";
import { ms, number, shortened, statusClass, time } from "../parts/format.js";
import { events, model, running } from "../parts/live.js";
import { isStaticFile, requestFilter } from "../parts/request-filter.js";
import { requestDetails, requestNow } from "./request.js";

/**
 * True for the dashboard of a server in production, which receives only some of the requests, without headers and
 * bodies.
 */
const isSampled = !can("exchange");

/** The session storage key of the filter, which is kept across sections until the tab is closed. */
const filterKey = "fw-console-requests";

/**
 * Creates the section with running and finished requests. In `query`, `request` is the id of a request to open, and
 * `filter` is the initial filter.
 */
export function requests(query) {
  let wanted = query.get("request") ?? undefined;
  const filter = h("input", {
    type: "search",
    placeholder: "words, ms>100, user:ann, route:/orders, trace:4f2a",
    title: "All words must match. Fields: status:5xx, ms>100, method:, route:, user:, service:, trace:",
    value: firstFilter(query),
    oninput: () => (sessionStorage.setItem(filterKey, filter.value), list.rebuild()),
  });
  const status = h(
    "select",
    { onchange: () => list.rebuild() },
    ["all", "2xx", "3xx", "4xx", "5xx"].map((each) =>
      h("option", { value: each === "all" ? "" : `status:${each}` }, each),
    ),
  );
  const service = h("select", { onchange: () => list.rebuild() }, serviceOptions());
  const files = h("input", { type: "checkbox", onchange: () => list.rebuild() });
  const matchesFields = (event) => requestFilter([filter.value, status.value, service.value].join(" "))(event);
  const opener = (event) =>
    h("button", { class: "link mono", onclick: (click) => open(event, click.currentTarget) }, shortTitle(event));
  const list = eventList({
    kind: "request",
    layout: inLines,
    caption: "Requests, newest first",
    heads: ["Time", "Request", "Status", ["Duration", "number"], "Service", "User"],
    nothing: () =>
      events.some((event) => event.kind === "request")
        ? "No requests match."
        : isSampled
          ? "No requests of which traces are kept yet."
          : "No requests yet. Open the application to see its requests here.",
    note: () => (files.checked ? "" : hiddenFilesText()),
    isHeld: () => isOpen(),
    matches: (event) => (files.checked || !isStaticFile(event)) && matchesFields(event),
    row: (event) =>
      tr(
        td("tight mono", time(event.at)),
        td("text", opener(event)),
        td(`tight ${statusClass(event.status)}`, String(event.status)),
        td("number", ms(event.ms)),
        event.service,
        td("user", event.user ?? ""),
      ),
  });
  const pending = pendingRequests(opener);
  const {
    node,
    open: openDetail,
    isOpen,
  } = withDetail(h("div", {}, pending.node, list.node), "Request details", () => list.insert());
  const sampling = h("div", {});
  let opened;
  let details;

  function open(event, button) {
    opened = requestNow(event.id) ?? event;
    details = requestDetails(opened.id);
    openDetail(button, shortTitle(opened), details.nodes);
    details.update(opened);
  }

  /** Opens the request in the address once its event has arrived. */
  function openWanted() {
    const event = wanted && events.findLast(({ kind, id }) => kind === "request" && id === wanted);
    const button = event && list.node.querySelector("tbody button.link");
    if (!button) return;
    wanted = undefined;
    open(event, button);
  }
  queueMicrotask(openWanted);

  return {
    nodes: [
      h("h1", {}, "Requests"),
      sampling,
      h(
        "div",
        { class: "tools" },
        field("Filter", filter, { class: "wide" }),
        field("Status", status),
        field("Service", service),
        h("label", { class: "check" }, files, "Static files"),
      ),
      node,
    ],
    load: async () => {
      if (isSampled) sampling.replaceChildren(samplingNote(await ask("server")));
    },
    added(fresh) {
      list.added(fresh);
      pending.show();
      openWanted();
      // Show new events of the opened request in its details.
      const now = opened && isOpen() && requestNow(opened.id);
      if (now && (now.status !== opened.status || fresh.some((event) => concerns(event, now))))
        details.update((opened = now));
    },
  };
}

/** Returns the initial filter: `trace:` and the `request` in `query`, its `filter`, or the tab's last filter. */
function firstFilter(query) {
  const id = query.get("request");
  return id === null ? (query.get("filter") ?? sessionStorage.getItem(filterKey) ?? "") : `trace:${id}`;
}

/** Creates a note about the machine and the requests that the dashboard shows. */
function samplingNote({ machine, data, traces }) {
  const share = `${Number((100 * traces.share).toFixed(2))} %`;
  const others = data === "database" ? " Other machines show theirs in their own dashboards." : "";
  return h(
    "p",
    { class: "muted" },
    `Requests of the machine ${machine}: all that failed or took ${ms(traces.slow)} or longer, and ${share} of the others, fewer under load.${others}`,
  );
}

function serviceOptions() {
  const names = (model?.graph.services ?? []).map(({ name }) => name);
  return [
    h("option", { value: "" }, "all"),
    names.map((name) => h("option", { value: `service:${name}` }, name)),
  ].flat();
}

function hiddenFilesText() {
  const count = events.filter((event) => event.kind === "request" && isStaticFile(event)).length;
  return count === 0 ? "" : `${number(count)} requests for static files are hidden`;
}

/** Returns the title of a request with a shortened path; the details show the whole path. */
function shortTitle({ method, path }) {
  return `${method} ${shortened(path)}`;
}

function concerns(event, { id, trace }) {
  return event.kind === "log" ? event.fields.req === id || event.fields.trace === trace : event.trace === trace;
}

/** Creates the table of running requests. */
function pendingRequests(opener) {
  const heads = ["Started", "Request", ["Elapsed", "number"], "Service"];
  const list = inLines(table("Running requests, oldest first", heads, []));
  const node = h("section", { class: "running", hidden: true }, h("h2", {}, "Running"), list);
  const rows = new Map();

  function show() {
    for (const [id, { row }] of rows) {
      if (running.some((each) => each.id === id)) continue;
      row.remove();
      rows.delete(id);
    }
    for (const event of running) {
      if (!rows.has(event.id)) rows.set(event.id, rowOf(event));
      rows.get(event.id).took.textContent = ms(event.ms);
    }
    node.hidden = rows.size === 0;
  }

  function rowOf(event) {
    const took = td("number");
    const row = tr(td("tight mono", time(event.at)), td("text", opener(event)), took, event.service);
    list.rows.append(row);
    return { row, took };
  }

  show();
  return { node, show };
}
