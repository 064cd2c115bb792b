import uPlot from "../vendor/charts.js";
import { h } from "./elements.js";
import { clockTime } from "./format.js";

/** Colors of lines, as custom properties of the style sheet. */
const colors = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];

const height = 180;

/** The possible distances between ticks of the time axis. A chart uses the first that leaves room for the labels. */
const minutesBetweenTicks = [1, 2, 5, 10, 20, 30, 60];

/** Charts of one page share a cursor. */
const sync = uPlot.sync("time");

const live = new Set();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const chart of live) chart.redraw(false, true);
});

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The possible distances between ticks for counts. */
const wholeSteps = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map((factor) => factor * 10 ** i)).flat();

/**
 * Creates a chart of values over time. `format` formats a value with its unit, `isWhole` is true for counts, and
 * `paint` draws something other than lines.
 */
export function timeChart({ title, format, isLogarithmic = false, isWhole = false, paint }) {
  const plot = h("div", { class: "plot" });
  const node = h("figure", { class: "card chart", ariaLabel: title }, h("figcaption", {}, title), plot);
  let chart;
  let shownLabels = "";
  let shownLines = [];

  function update(times, lines) {
    shownLines = lines;
    const labels = lines.map(({ label }) => label).join("\n");
    const data = [times, ...lines.map(({ values }) => values)];
    node.hidden = lines.length === 0;
    if (chart && labels === shownLabels) return replaceData(data);
    chart?.destroy();
    live.delete(chart);
    shownLabels = labels;
    chart = new uPlot(options(lines), data, plot);
    live.add(chart);
    return undefined;
  }

  /** Replaces the data, and keeps the time range that the user has zoomed to. */
  function replaceData(data) {
    const [before] = chart.data;
    const { min, max } = chart.scales.x;
    const isZoomed = min > before[0] || max < before.at(-1);
    chart.setData(data, !isZoomed);
    if (isZoomed) chart.redraw(true, false);
  }

  /** Formats the value of a line at the pointer, or the latest value without a pointer, as on phones. */
  function textAt(line, pointerIndex) {
    const index = pointerIndex ?? line.values.findLastIndex(isValue);
    const value = line.values[index];
    return isValue(value) ? (line.describe?.(index) ?? format(value)) : "none";
  }

  /** Returns a logarithmic scale. Lines need a margin, because the edges would cut their dots in half. */
  function logarithmicScale() {
    const range = (_chart, min, max) => (isValue(min) ? [min / 2, max * 2] : [1, 2]);
    return { distr: 3, log: 2, ...(!paint && { range }) };
  }

  function options(lines) {
    const axis = {
      stroke: () => color("--muted"),
      grid: { stroke: () => color("--line"), width: 1 },
      ticks: { show: false },
    };
    return {
      width: Math.max(200, plot.clientWidth || 400),
      height,
      cursor: { sync: { key: sync.key }, drag: { x: true, y: false } },
      scales: { y: isLogarithmic ? logarithmicScale() : { range: (_chart, _min, max) => [0, niceMaximum(max)] } },
      axes: [
        {
          ...axis,
          size: 34,
          space: 42,
          incrs: minutesBetweenTicks.map((minutes) => 60 * minutes),
          values: (_chart, ticks) => ticks.map((at) => clockTime(at).slice(0, 5)),
        },
        {
          ...axis,
          ...(isWhole && { incrs: wholeSteps }),
          size: 64,
          values: (_chart, ticks) => ticks.map((tick) => (tick === null ? "" : format(tick))),
        },
      ],
      series: [
        { label: "Time", value: (_chart, at) => (at === null ? "latest" : clockTime(at)) },
        ...lines.map(({ label }, i) => ({
          label,
          width: 2,
          stroke: () => color(colors[i % colors.length]),
          points: paint
            ? { show: false }
            : { size: 7, fill: () => color(colors[i % colors.length]), filter: pointsOfShortRuns },
          ...(paint && { paths: () => null }),
          spanGaps: false,
          value: (_chart, _value, _series, index) => textAt(shownLines[i], index),
        })),
      ],
      hooks: paint ? { drawAxes: [(each) => paint(each, color(colors[0]))] } : {},
    };
  }

  new ResizeObserver(() => {
    if (chart && plot.clientWidth > 0) chart.setSize({ width: plot.clientWidth, height });
  }).observe(plot);
  return { node, update };
}

/** The maximum length of a run of values that is also drawn as dots, because its line is too short to recognize. */
const shortRun = 3;

/**
 * Returns the indices of the values in short runs; null if there are none, as uPlot expects. A single value has no
 * line.
 */
function pointsOfShortRuns(chart, series) {
  const values = chart.data[series];
  const points = [];
  let begin = 0;
  for (let i = 0; i <= values.length; i++) {
    if (isValue(values[i])) continue;
    if (i - begin <= shortRun) for (let each = begin; each < i; each++) points.push(each);
    begin = i + 1;
  }
  return points.length === 0 ? null : points;
}

function isValue(value) {
  return value !== null && value !== undefined;
}

function niceMaximum(max) {
  return max > 0 ? max * 1.1 : 1;
}

/** Destroys the charts of a section that the user leaves. */
export function forgetCharts() {
  for (const chart of live) chart.destroy();
  live.clear();
}
