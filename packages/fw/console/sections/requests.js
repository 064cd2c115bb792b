import { withDetail } from "../parts/detail.js";
import { field, h, table, td, tr } from "../parts/elements.js";
import { eventList, containsWords } from "../parts/event-list.js";
import { ms, statusClass, time } from "../parts/format.js";
import { events, running } from "../parts/live.js";
import { requestContent, requestNow } from "./request.js";

/** The section with running and finished requests. */
export function requests() {
  const filter = h("input", {
    type: "search",
    placeholder: "path, method, user, service",
    oninput: () => list.rebuild(),
  });
  const only = h(
    "select",
    { onchange: () => list.rebuild() },
    h("option", { value: "0" }, "all"),
    h("option", { value: "400" }, "errors (4xx and 5xx)"),
    h("option", { value: "500" }, "server errors (5xx)"),
  );
  const opener = (event) =>
    h("button", { class: "link mono", onclick: (click) => open(event, click.currentTarget) }, titleOf(event));
  const list = eventList({
    kind: "request",
    caption: "Requests, newest first",
    heads: ["Time", "Request", "Status", ["Duration", "number"], "Service", "User"],
    nothing: () =>
      events.some((event) => event.kind === "request")
        ? "No requests match."
        : "No requests yet. Open the application to see its requests here.",
    matches: (event) => event.status >= Number(only.value) && containsWords(filter)(event),
    row: (event) =>
      tr(
        td("tight mono", time(event.at)),
        td("text", opener(event)),
        td(`tight ${statusClass(event.status)}`, String(event.status)),
        td("number", ms(event.ms)),
        td("tight", event.service ?? ""),
        td("tight", event.user ?? ""),
      ),
  });
  const pending = pendingRequests(opener);
  const {
    node,
    open: openDetail,
    refresh,
    isOpen,
  } = withDetail(h("div", {}, pending.node, list.node), "Request details");
  let opened;

  function open(event, button) {
    opened = event;
    const now = requestNow(event.id) ?? event;
    openDetail(button, titleOf(now), requestContent(now));
  }

  return {
    nodes: [
      h("h1", {}, "Requests"),
      h("div", { class: "tools" }, field("Filter", filter, { class: "wide" }), field("Show", only)),
      node,
    ],
    added(fresh) {
      list.added(fresh);
      pending.show();
      // Adds the news about the opened request to its details.
      const now = opened && isOpen() && requestNow(opened.id);
      if (now && (now.status !== opened.status || fresh.some((event) => concerns(event, now))))
        refresh(requestContent((opened = now)));
    },
  };
}

function titleOf({ method, path }) {
  return `${method} ${path}`;
}

function concerns(event, { id, trace }) {
  return event.kind === "log" ? event.fields.req === id || event.fields.trace === trace : event.trace === trace;
}

/** The table of running requests. */
function pendingRequests(opener) {
  const list = table("Running requests, oldest first", ["Started", "Request", ["Elapsed", "number"], "Service"], []);
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
    const row = tr(td("tight mono", time(event.at)), td("text", opener(event)), took, td("tight", event.service ?? ""));
    list.rows.append(row);
    return { row, took };
  }

  show();
  return { node, show };
}
