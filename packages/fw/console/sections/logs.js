import { field, h, stacked, td, tr } from "../parts/elements.js";
import { eventList, containsWords } from "../parts/event-list.js";
import { time } from "../parts/format.js";
import { sectionLink } from "../parts/links.js";
import { events } from "../parts/live.js";
import { causeOf, fieldsText, severityClass } from "../parts/log-line.js";
import { stackContent } from "../parts/stack.js";

/** The section with the log lines of all services. */
export function logs() {
  const filter = h("input", { type: "search", placeholder: "text, field, service", oninput: () => list.rebuild() });
  const only = h(
    "select",
    { onchange: () => list.rebuild() },
    h("option", { value: "" }, "all"),
    h("option", { value: "WARNING ERROR" }, "warnings and errors"),
    h("option", { value: "ERROR" }, "errors"),
  );
  const list = eventList({
    kind: "log",
    layout: stacked,
    caption: "Log lines, newest first",
    heads: ["Time", "Severity", "Message", "Service"],
    nothing: () => (events.some(({ kind }) => kind === "log") ? "No log lines match." : "No log lines yet."),
    matches: (event) => (only.value === "" || only.value.includes(event.severity)) && containsWords(filter)(event),
    row: (event) => {
      const cause = causeOf(event);
      return tr(
        td("tight mono", time(event.at)),
        td(`tight ${severityClass(event.severity)}`, event.severity === "DEFAULT" ? "" : event.severity),
        td(
          "text",
          event.message,
          " ",
          h("span", { class: "mono muted" }, fieldsText(fieldsBesideLink(event.fields))),
          requestLink(event.fields),
          cause && h("details", {}, h("summary", {}, "Stack"), stackContent(cause)),
        ),
        event.service,
      );
    },
  });
  return {
    nodes: [
      h("h1", {}, "Logs"),
      h("div", { class: "tools" }, field("Filter", filter, { class: "wide" }), field("Show", only)),
      list.node,
    ],
    added: list.added,
  };
}

/** The request that a line links to shows both ids. */
function fieldsBesideLink({ req: request, trace, ...fields }) {
  return typeof request === "string" ? fields : { ...fields, ...(trace && { trace }) };
}

/** A line of a request leads to it. */
function requestLink({ req: request }) {
  return typeof request === "string" && [" ", h("a", { href: sectionLink("requests", { request }) }, "Request")];
}
