import { field, h, renew, stacked, td, tr } from "../parts/elements.js";
import { eventList, containsWords } from "../parts/event-list.js";
import { number, shortened, time } from "../parts/format.js";
import { sectionLink } from "../parts/links.js";
import { errorCounts, events } from "../parts/live.js";
import { causeOf, fieldsText, severityClass } from "../parts/log-line.js";
import { stackContent } from "../parts/stack.js";

/** Creates the section with the log lines of all services. */
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
  const frequent = h("div", {});
  const showFrequent = () => renew(frequent, ...frequentErrors((text) => ((filter.value = text), list.rebuild())));
  showFrequent();
  return {
    nodes: [
      h("h1", {}, "Logs"),
      frequent,
      h("div", { class: "tools" }, field("Filter", filter, { class: "wide" }), field("Show", only)),
      list.node,
    ],
    added: (fresh) => {
      list.added(fresh);
      if (fresh.some(({ severity }) => severity === "ERROR")) showFrequent();
    },
  };
}

/** The maximum number of errors to show above the list. */
const shownErrors = 5;

/**
 * Lists the errors that were logged more than once, most frequent first. `choose` filters the list of log lines by the
 * text of an error.
 */
function frequentErrors(choose) {
  const groups = errorCounts.frequent(shownErrors);
  const item = ({ text, count, lastAt }) =>
    h(
      "li",
      {},
      `${number(count)} × `,
      h("button", { class: "link", onclick: () => choose(text) }, shortened(text)),
      h("span", { class: "muted" }, `, last at ${time(lastAt)}`),
    );
  return groups.length === 0 ? [] : [h("h2", {}, "Frequent errors"), h("ul", { class: "links" }, groups.map(item))];
}

/** Returns the fields to show. Leaves out the ids if the line links to its request, which shows them. */
function fieldsBesideLink({ req: request, trace, ...fields }) {
  return typeof request === "string" ? fields : { ...fields, ...(trace && { trace }) };
}

/** Links a log line to its request, if it has one. */
function requestLink({ req: request }) {
  return typeof request === "string" && [" ", h("a", { href: sectionLink("requests", { request }) }, "Request")];
}
