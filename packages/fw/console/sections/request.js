import { h, none } from "../parts/elements.js";
import { ms, statusClass, time } from "../parts/format.js";
import { events, running } from "../parts/live.js";
import { causeOf, logItem } from "../parts/log-line.js";
import { repeatedReads, waterfall } from "../parts/waterfall.js";

/** The latest state of a request; it has no status while it runs. */
export function requestNow(id) {
  return (
    events.findLast((event) => event.kind === "request" && event.id === id) ?? running.find((each) => each.id === id)
  );
}

/** The details of a request: its facts, the cause of a failure, its steps and its logs. */
export function requestContent(event) {
  const trace = [...events.filter(({ kind }) => kind === "request"), ...running].filter(
    (each) => each.trace === event.trace,
  );
  const ids = new Set(trace.map(({ id }) => id));
  const logs = events.filter(
    (each) => each.kind === "log" && (ids.has(each.fields.req) || each.fields.trace === event.trace),
  );
  const cause = logs.find((log) => log.severity === "ERROR" && causeOf(log) !== undefined);
  return [
    facts(event),
    ...(cause ? [h("h3", { class: "bad" }, "Why it failed"), h("pre", { tabIndex: 0 }, causeOf(cause))] : []),
    ...stepsContent(trace, event.trace),
    h("h3", {}, "Logs"),
    logs.length === 0
      ? none(event.status === undefined ? "No log lines yet." : "No log lines.")
      : h("ul", { class: "logs" }, logs.map(logItem)),
  ];
}

function facts(event) {
  const rows = [
    ["Status", statusOf(event)],
    ["Route", event.route],
    ["Started", event.status === undefined ? time(event.at) : `${time(event.at)}, took ${ms(event.ms)}`],
    ["Service", event.service],
    ["Called by", event.caller],
    ["User", event.user],
    ["Request", h("span", { class: "mono" }, event.id)],
  ];
  const presentRows = rows.filter(([, value]) => value !== undefined);
  return h(
    "dl",
    {},
    presentRows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

function statusOf({ status }) {
  const text = { undefined: "running", 499: "499, the client disconnected" }[status] ?? String(status);
  return h("span", { class: statusClass(status) }, text);
}

/** The steps of a trace, with warnings about N+1 queries. */
function stepsContent(requests, trace) {
  const steps = stepsOf(requests, trace);
  if (steps.length < 2) return [];
  return [
    h("h3", {}, "Steps"),
    ...repeatedReads(steps).map((sentence) => h("p", { class: "warn" }, sentence)),
    waterfall(steps),
  ];
}

/** Returns requests and the operations within them. An operation that is itself a request appears once, with its status. */
function stepsOf(requests, trace) {
  const spans = events.filter((event) => event.kind === "span" && event.trace === trace);
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  const ids = new Set(requests.map(({ id }) => id));
  return [
    ...requests.map((request) => ({
      id: request.id,
      parent: parents.get(request.id),
      name: request.route,
      at: request.at,
      ms: request.ms,
      failed: request.status >= 500,
      service: request.service,
      status: statusOf(request),
    })),
    ...spans.filter(({ id }) => !ids.has(id)),
  ];
}
