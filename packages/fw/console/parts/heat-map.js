import { counted, ms, number } from "./format.js";
import { timeChart } from "./time-chart.js";

/** The lower bound of the fastest bucket in the map; a logarithmic axis has no 0. */
const fastest = 0.5;

/** The opacity of a bucket with a single request, from 0 to 1. */
const faintest = 0.15;

/** Creates a heat map of the durations of requests over time: the more requests in a bucket, the stronger its color. */
export function heatMap(title) {
  let shown;
  const { node, update } = timeChart({ title, format: ms, isLogarithmic: true, paint });

  function paint(chart, color) {
    const { ctx, bbox } = chart;
    const most = Math.max(...shown.latencies.flat());
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = color;
    for (const cell of cellsOf(shown)) {
      const [left, right] = [cell.from, cell.to].map((at) => chart.valToPos(at, "x", true));
      const [bottom, top] = [cell.lower, cell.upper].map((value) => chart.valToPos(value, "y", true));
      ctx.globalAlpha = faintest + (1 - faintest) * Math.sqrt(cell.count / most);
      ctx.fillRect(left, top, right - left, bottom - top);
    }
    ctx.restore();
  }

  return {
    node,
    update(data) {
      shown = data;
      const used = data.latencies.map((counts) => [...counts.keys()].filter((i) => counts[i] > 0));
      const line = (label, read, describe) => ({
        label,
        values: used.map((buckets) => (buckets.length === 0 ? null : read(buckets))),
        describe,
      });
      const lines = [
        line(
          "requests",
          (buckets) => upperBound(data.bounds, buckets.at(-1)),
          (i) => countsText(data, i),
        ),
        line(
          "fastest",
          (buckets) => lowerBound(data.bounds, buckets[0]),
          (i) => rangeOf(data.bounds, used[i][0]),
        ),
      ];
      update(data.times, used.some((buckets) => buckets.length > 0) ? lines : []);
    },
  };
}

/** Returns the buckets with requests, as cells of the chart. */
function cellsOf({ times, step, latencies, bounds }) {
  return latencies.flatMap((counts, i) =>
    counts.flatMap((count, bucket) => {
      if (count === 0) return [];
      const [lower, upper] = [lowerBound(bounds, bucket), upperBound(bounds, bucket)];
      return [{ from: times[i] - step, to: times[i], lower, upper, count }];
    }),
  );
}

function lowerBound(bounds, bucket) {
  return bucket === 0 ? fastest : bounds[bucket - 1];
}

function upperBound(bounds, bucket) {
  return bounds[bucket] ?? 2 * bounds.at(-1);
}

function rangeOf(bounds, bucket) {
  if (bucket === 0) return `under ${ms(bounds[0])}`;
  return bucket === bounds.length ? `over ${ms(bounds.at(-1))}` : `${ms(bounds[bucket - 1])} to ${ms(bounds[bucket])}`;
}

/** Formats the slowest buckets of an interval with their numbers of requests. */
function countsText({ latencies, bounds }, i) {
  const counts = latencies[i].flatMap((count, bucket) => (count === 0 ? [] : [[count, bucket]])).toReversed();
  const texts = counts.slice(0, 3).map(([count, bucket]) => `${number(count)} × ${rangeOf(bounds, bucket)}`);
  const faster = counts.length - texts.length;
  return [...texts, ...(faster > 0 ? [counted(faster, "faster range")] : [])].join(", ");
}
