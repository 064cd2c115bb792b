// The steps of a trace as a waterfall: one bar for each step, as long as its duration.

import { h, renew } from "./elements.js";
import { counted, duration, ms } from "./format.js";
import { severityClass } from "./log-line.js";
import { queryText } from "./query-text.js";
import { tickTexts, timeAxis } from "./time-axis.js";

/** The number of equal steps to show per parent; one row represents the rest. */
const shownRepeats = 3;

/** The number of reads with the same name and parent that make an N+1 query. */
const manyRepeats = 5;

/** The positions on the axis that have a label, from 0 to 1. */
const ticks = [0, 0.25, 0.5, 0.75, 1];

/** The number of pixels that a pointer must move before it selects a time span. */
const dragStart = 4;

/**
 * Creates a waterfall, which shows the steps of its last `update`. Steps have `id`, `parent`, `name`, `at` and `ms`,
 * and may have `failed`, `service`, `status` and a `note`; log lines have a `severity`. Steps with an unknown parent
 * are at the top level, and children follow their parent. Dragging over a time span or clicking a step zooms to it,
 * until `Whole trace`, a double click or Escape.
 */
export function waterfall() {
  const list = h("ol", { class: "trace" });
  const whole = h("button", { hidden: true, onclick: () => zoom() }, "Whole trace");
  const labels = h("div", { class: "ticks", ariaHidden: "true" });
  const head = h("div", { class: "axis" }, h("div", {}, whole), labels);
  const node = h("div", { class: "waterfall" }, head, list);
  let [axis, rows, view] = [];

  function update(steps) {
    axis = timeAxis(steps);
    rows = rowsOf(steps).map((row) => rowItem(row, axis, zoom));
    renew(list, ...rows.map((row) => row.node));
    draw();
  }

  /** Zooms to the steps between two times; without arguments, shows all steps. */
  function zoom(from = axis.begin, to = axis.end) {
    const isPart = from > axis.begin || to < axis.end;
    if (document.activeElement === whole && !isPart) list.querySelector("button.lane")?.focus({ preventScroll: true });
    view = isPart ? { from, to } : undefined;
    draw();
  }

  /** Returns the visible range of the axis. */
  function range() {
    const [start, end] = [view?.from ?? axis.begin, view?.to ?? axis.end].map(axis.positionOf);
    return { start, width: Math.max(end - start, 0.001) };
  }

  function draw() {
    const { start, width } = range();
    const shareOf = (at) => Math.min(1, Math.max(0, (axis.positionOf(at) - start) / width));
    whole.hidden = view === undefined;
    const times = ticks.map((share) => axis.timeAt(start + share * width) - axis.begin);
    labels.replaceChildren(...tickTexts(times).map((text) => h("span", {}, text)));
    for (const { bar, step } of rows) {
      const [from, to] = [step.at, step.at + step.ms].map(shareOf);
      // A log line is a dot, which must not extend beyond the end.
      bar.style.marginInlineStart = `min(${from * 100}%, 100% - 4px)`;
      bar.style.width = `${(to - from) * 100}%`;
      bar.hidden = view !== undefined && !isWithin(step, view);
    }
  }

  selectByDragging(list, (from, to) => {
    const { start, width } = range();
    zoom(...[from, to].map((share) => axis.timeAt(start + share * width)));
  });
  list.addEventListener("dblclick", ({ target }) => target.closest(".lane") && zoom());
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || view === undefined) return;
    // Otherwise, Escape would also close the details.
    event.stopPropagation();
    zoom();
  });
  return { node, update };
}

/** True if a step overlaps a time range. A log line, which has no duration, must be inside of it. */
function isWithin({ at, ms: took }, { from, to }) {
  return took > 0 ? at < to && at + took > from : at >= from && at <= to;
}

/** Calls `select` with the start and end of a drag along a lane, as shares of the lane's width from 0 to 1. */
function selectByDragging(list, select) {
  const mark = h("div", { class: "selection", hidden: true });
  let drag;
  const sharesTo = ({ clientX }) => {
    const { left, width } = drag.lane;
    return [drag.x, clientX].map((x) => Math.min(1, Math.max(0, (x - left) / width))).toSorted((a, b) => a - b);
  };
  const stop = () => {
    drag = undefined;
    mark.remove();
    mark.hidden = true;
  };
  list.addEventListener("pointerdown", ({ target, button, clientX }) => {
    const lane = button === 0 && target.closest(".lane");
    if (lane) drag = { lane: lane.getBoundingClientRect(), x: clientX };
  });
  list.addEventListener("pointermove", (event) => {
    if (drag === undefined) return;
    if (event.buttons === 0) return stop();
    if (mark.hidden && Math.abs(event.clientX - drag.x) < dragStart) return undefined;
    if (mark.hidden) {
      // Capture the pointer, so that its release does not count as a click on a step.
      list.setPointerCapture(event.pointerId);
      list.parentElement.append(mark);
      mark.hidden = false;
    }
    const [from, to] = sharesTo(event);
    const { left, width } = drag.lane;
    mark.style.left = `${left - list.parentElement.getBoundingClientRect().left + from * width}px`;
    mark.style.width = `${(to - from) * width}px`;
    return undefined;
  });
  list.addEventListener("pointerup", (event) => {
    const shares = drag !== undefined && !mark.hidden && sharesTo(event);
    stop();
    if (shares && shares[0] < shares[1]) select(...shares);
  });
  list.addEventListener("pointercancel", stop);
}

/** Returns a warning for each N+1 query: many reads with the same name and parent. */
export function repeatedReads(steps) {
  return groupsOf(steps).flatMap(({ name, all }) => {
    if (all.length < manyRepeats || !/^entity\.(?:get|find) /.test(name)) return [];
    const total = all.reduce((sum, step) => sum + step.ms, 0);
    const entity = name.replace(/^entity\.\w+ /, "");
    return [`${all.length} × ${name}, ${ms(total)} in total: read them together with ${entity}.getMany(ctx, ids)`];
  });
}

/** Returns a warning for each query that waits for an index, or that had to rewrite older documents first. */
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
      const name = groupOf(step);
      const same = seen.get(name) ?? { count: 0, row: undefined };
      seen.set(name, same);
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

/** Returns the name that equal steps share: outgoing requests differ in the values of their paths. */
function groupOf({ name, group = name }) {
  return group;
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

function rowItem({ step, depth, more }, { begin, pauses }, zoom) {
  const isLine = step.severity !== undefined;
  const bar = h("span", { class: isLine ? "line" : step.failed ? "failed" : "" });
  const label = more === 0 ? step.name : `… ${more} more ${groupOf(step)}`;
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
  const pause = pauses.get(step.at);
  // Show a pause only at the first of the steps that end it.
  pauses.delete(step.at);
  if (pause) text.append(h("div", { class: "muted" }, `after a pause of ${duration(pause)}`));
  if (step.note) text.append(h("div", { class: "warn" }, step.note));
  if (step.details?.waitsForIndex) text.append(h("div", { class: "warn" }, "waits for an index"));
  else if (isRewrite(step.name)) text.append(h("div", { class: "warn" }, "rewritten for the index of a query"));
  const [offset, end] = [step.at - begin, step.at + step.ms];
  const title = isLine ? `at ${ms(offset)}` : `starts at ${ms(offset)}, takes ${ms(step.ms)}`;
  const lane = isLine
    ? h("div", { class: "lane", ariaHidden: "true" }, bar)
    : h("button", { class: "lane", ariaLabel: `Zoom to ${label}, ${title}`, onclick: () => zoom(step.at, end) }, bar);
  return { step, bar, node: h("li", { title }, text, lane) };
}

/** Returns the name of a log line. Plain output of the application has no severity. */
function logName(severity) {
  return severity === "DEFAULT" ? "log" : severity;
}

/** Describes a step's query, the indexes that served it, and the documents that it read or wrote. */
function operationText({ details, indexes }) {
  if (!details) return "";
  const { query, documents, ids = [] } = details;
  const count = documents === undefined ? "" : counted(documents, "document");
  if (query) return [queryText(query, indexes), count].filter(Boolean).join(" · ");
  return [ids.length === 1 ? ids[0] : "", ids.length === 1 && documents === 1 ? "" : count].filter(Boolean).join(", ");
}
