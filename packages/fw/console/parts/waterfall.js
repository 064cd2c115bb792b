// The steps of a trace as a waterfall: one bar for each step, as long as its duration.

import { h } from "./elements.js";
import { counted, ms } from "./format.js";
import { severityClass } from "./log-line.js";

/** The most equal steps of one parent to show; a single row stands for the rest. */
const shownRepeats = 3;

/** Repeated reads of one parent that count as an N+1 query. */
const manyRepeats = 5;

/**
 * `steps` have `id`, `parent`, `name`, `at` and `ms`, and may have `failed`, `service`, `status` and a `note`; log
 * lines have a `severity`. Steps whose parent is unknown come first in time order, children follow their parent.
 */
export function waterfall(steps) {
  const axis = timeAxis(steps);
  return h(
    "ol",
    { class: "trace" },
    rowsOf(steps).map((row) => rowItem(row, axis)),
  );
}

/** The width of a pause, as a share of the time in which something happened. */
const pauseShare = 0.05;

/**
 * The positions of times, from 0 to 1. A retry may come hours after the request that led to it, so a long pause in
 * which no step runs is drawn short, and the step that ends it says how long it was.
 */
function timeAxis(steps) {
  const spans = busySpans(steps);
  const busy = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = Math.max(pauseShare * busy, 1);
  let [width, end] = [0, spans[0].from];
  for (const span of spans) {
    const pause = span.from - end;
    span.pause = pause > longest ? pause : 0;
    span.start = width + Math.min(pause, longest);
    width = span.start + span.to - span.from;
    end = span.to;
  }
  const spanAt = (at) => spans.findLast(({ from }) => from <= at) ?? spans[0];
  return {
    positionOf: (at) => {
      const { from, to, start } = spanAt(at);
      return (start + Math.min(at, to) - from) / Math.max(width, 0.001);
    },
    /** The milliseconds of the pause that a step ends; 0 for most steps, and if another step has said so. */
    takePauseBefore: ({ at }) => {
      const span = spanAt(at);
      if (span.from !== at) return 0;
      const { pause } = span;
      span.pause = 0;
      return pause;
    },
  };
}

/** The times in which a step runs, in order and without overlaps. */
function busySpans(steps) {
  const spans = [];
  for (const { at, ms: took } of steps.toSorted((a, b) => a.at - b.at)) {
    const last = spans.at(-1);
    if (last && at <= last.to) last.to = Math.max(last.to, at + took);
    else spans.push({ from: at, to: at + took });
  }
  return spans;
}

/** Returns a warning for each N+1 query: many equal reads with the same parent. */
export function repeatedReads(steps) {
  return groupsOf(steps).flatMap(({ name, all }) => {
    if (all.length < manyRepeats || !/^entity\.(?:get|find) /.test(name)) return [];
    const total = all.reduce((sum, step) => sum + step.ms, 0);
    const entity = name.replace(/^entity\.\w+ /, "");
    return [`${all.length} × ${name}, ${ms(total)} in total: read them together with ${entity}.getMany(ctx, ids)`];
  });
}

/** Returns a warning for each query that failed or became slow because documents lacked an index that it needs. */
export function indexWaits(steps) {
  return groupsOf(steps).flatMap(({ name, all }) => {
    const entity = name.replace(/^entity\.\w+ /, "");
    if (all.some(({ details }) => details?.waitsForIndex))
      return [`${name} waits for an index: fw is still filling it from older documents of ${entity}`];
    if (!isRewrite(name)) return [];
    const total = all.reduce((sum, step) => sum + step.ms, 0);
    const count = all.reduce((sum, { details }) => sum + (details?.documents ?? 0), 0);
    return [
      `${counted(count, "document")} of ${entity} had an older form and no index: a query rewrote them first, ${ms(total)} in total`,
    ];
  });
}

function isRewrite(name) {
  return name.startsWith("entity.rewrite ");
}

/** Returns the rows from top to bottom with their depth, and combines repeated steps. */
function rowsOf(steps) {
  const ids = new Set(steps.map(({ id }) => id));
  const children = Map.groupBy(steps, ({ parent }) => (ids.has(parent) ? parent : undefined));
  const rows = [];
  const add = (parent, depth) => {
    const seen = new Map();
    for (const step of (children.get(parent) ?? []).toSorted((a, b) => a.at - b.at)) {
      const same = seen.get(step.name) ?? { count: 0, row: undefined };
      seen.set(step.name, same);
      same.count += 1;
      if (same.count <= shownRepeats || children.has(step.id)) {
        rows.push({ step, depth, more: 0 });
        add(step.id, depth + 1);
      } else if (same.row === undefined) rows.push((same.row = { step: { ...step }, depth, more: 1 }));
      else extend(same.row, step);
    }
  };
  add(undefined, 0);
  return rows;
}

function extend(row, step) {
  row.more += 1;
  row.step.ms = Math.max(row.step.at + row.step.ms, step.at + step.ms) - row.step.at;
  row.step.failed ||= step.failed;
}

function groupsOf(steps) {
  const groups = Map.groupBy(steps, ({ parent, name }) => `${parent} ${name}`);
  return [...groups.values()].map((all) => ({ name: all[0].name, all }));
}

function rowItem({ step, depth, more }, { positionOf, takePauseBefore }) {
  const isLine = step.severity !== undefined;
  const bar = h("div", { class: isLine ? "line" : step.failed ? "failed" : "" });
  const [from, to] = [step.at, step.at + step.ms].map(positionOf);
  // A line is a dot, which must not be beyond the end.
  bar.style.marginInlineStart = `min(${from * 100}%, 100% - 4px)`;
  bar.style.width = `${(to - from) * 100}%`;
  const label = more === 0 ? step.name : `… ${more} more ${step.name}`;
  const text = h(
    "div",
    {},
    h("span", { class: isLine ? "" : "mono" }, [step.service, label].filter(Boolean).join(" ")),
  );
  if (isLine) text.prepend(h("span", { class: severityClass(step.severity) }, `${logName(step.severity)} `));
  else text.append(" ", h("span", { class: "took" }, `${ms(step.ms)} `, step.status ?? ""));
  // Only the text is indented: all lanes share one time axis.
  text.style.paddingInlineStart = `${Math.min(depth, 8)}em`;
  const described = more === 0 ? operationText(step) : "";
  if (described) text.append(h("div", { class: "muted" }, described));
  const pause = takePauseBefore(step);
  if (pause > 0) text.append(h("div", { class: "muted" }, `after a pause of ${ms(pause)}`));
  if (step.note) text.append(h("div", { class: "warn" }, step.note));
  if (step.details?.waitsForIndex) text.append(h("div", { class: "warn" }, "waits for an index"));
  else if (isRewrite(step.name)) text.append(h("div", { class: "warn" }, "rewritten for the index of a query"));
  return h("li", {}, text, h("div", { class: "lane", ariaHidden: "true" }, bar));
}

/** Plain output of the application has no severity. */
function logName(severity) {
  return severity === "DEFAULT" ? "log" : severity;
}

/** The query of a step, the index that served it and the documents that it read or wrote. */
function operationText({ details, indexes }) {
  if (!details) return "";
  const { query, documents, ids = [] } = details;
  const count = documents === undefined ? "" : counted(documents, "document");
  if (!query)
    return [ids.length === 1 ? ids[0] : "", ids.length === 1 && documents === 1 ? "" : count]
      .filter(Boolean)
      .join(", ");
  const filters = query.filters.map(({ field, operator, value }) => `${field} ${operator} ${value}`);
  const orders = query.orders.map(({ field, direction }) => `${field} ${direction}`);
  return [
    filters.length > 0 && `where ${filters.join(" and ")}`,
    orders.length > 0 && `ordered by ${orders.join(", ")}`,
    query.limit !== undefined && `limit ${query.limit}`,
    indexText(indexes),
    count,
  ]
    .filter(Boolean)
    .join(" · ");
}

function indexText(indexes) {
  if (!indexes) return "";
  if (indexes.length === 0) return "in order of id, without an index";
  return indexes.map((index) => `index (${index.join(", ")})`).join(" and ");
}
