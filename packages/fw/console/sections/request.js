import { h, none } from "../parts/elements.js";
import { ms, statusClass, time } from "../parts/format.js";
import { events, running } from "../parts/live.js";
import { causeOf, logItem } from "../parts/log-line.js";

/** A request as it is known now; without a status while it runs. */
export function requestNow(id) {
  return (
    events.findLast((event) => event.kind === "request" && event.id === id) ?? running.find((each) => each.id === id)
  );
}

/** A request with what it led to, and why it failed. */
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
    ...(trace.length > 1 ? [h("h3", {}, "Over services"), lanes(trace)] : []),
    h("h3", {}, "Logs"),
    logs.length === 0
      ? none(event.status === undefined ? "It has logged nothing yet." : "It logged nothing.")
      : h("ul", { class: "logs" }, logs.map(logItem)),
  ];
}

function facts(event) {
  const rows = [
    ["Status", statusOf(event)],
    ["Route", event.route],
    ["Began", event.status === undefined ? time(event.at) : `${time(event.at)}, took ${ms(event.ms)}`],
    ["Service", event.service],
    ["Called by", event.caller],
    ["User", event.user],
    ["Request", h("span", { class: "mono" }, event.id)],
  ];
  const known = rows.filter(([, value]) => value !== undefined);
  return h(
    "dl",
    {},
    known.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

function statusOf({ status }) {
  const text = { undefined: "runs", 499: "499, the client went away" }[status] ?? String(status);
  return h("span", { class: statusClass(status) }, text);
}

/** Requests that led to each other, each as long as it took. */
function lanes(trace) {
  const from = Math.min(...trace.map(({ at }) => at));
  const span = Math.max(Math.max(...trace.map((each) => each.at + each.ms)) - from, 0.001);
  const sorted = trace.toSorted((a, b) => a.at - b.at);
  return h(
    "ol",
    { class: "trace" },
    sorted.map((each) => {
      const bar = h("div", { class: each.status >= 500 ? "failed" : "" });
      bar.style.marginInlineStart = `${((each.at - from) / span) * 100}%`;
      bar.style.width = `${(each.ms / span) * 100}%`;
      return h(
        "li",
        {},
        h("span", { class: "mono" }, `${each.service ?? ""} ${each.route}`),
        ` ${ms(each.ms)} `,
        statusOf(each),
        h("div", { class: "lane", ariaHidden: "true" }, bar),
      );
    }),
  );
}
