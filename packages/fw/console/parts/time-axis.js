// The positions of times in a waterfall.

/** The width of a long pause, as a share of the time in which steps ran. */
const pauseShare = 0.05;

/**
 * Returns the time axis of steps. `positionOf` and `timeAt` are inverse functions: a position is the distance from the
 * start of the axis in drawn milliseconds. The axis compresses long pauses in which no step runs, because a retry may
 * come hours after its request. `pauses` maps the end of each such pause to its length.
 */
export function timeAxis(steps) {
  const spans = busySpans(steps);
  const busy = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = Math.max(pauseShare * busy, 1);
  const begin = spans[0].from;
  const [points, pauses] = [[], new Map()];
  let [width, end] = [0, begin];
  for (const { from, to } of spans) {
    const pause = from - end;
    if (pause > longest) pauses.set(from, pause);
    const start = width + Math.min(pause, longest);
    width = start + to - from;
    end = to;
    points.push([from, start], [to, width]);
  }
  const inverse = points.map(([at, position]) => [position, at]);
  return {
    begin,
    end,
    pauses,
    positionOf: (at) => interpolate(points, at),
    timeAt: (position) => interpolate(inverse, position),
  };
}

/** Returns the time spans in which steps run, in order and without overlaps. */
function busySpans(steps) {
  const spans = [];
  for (const { at, ms: took } of steps.toSorted((a, b) => a.at - b.at)) {
    const last = spans.at(-1);
    if (last && at <= last.to) last.to = Math.max(last.to, at + took);
    else spans.push({ from: at, to: at + took });
  }
  return spans;
}

/**
 * Returns the value at a coordinate of a line through points with ascending coordinates; beyond the line's ends, the
 * value of its first or last point.
 */
function interpolate(points, value) {
  const next = points.findIndex(([coordinate]) => coordinate >= value);
  if (next <= 0) return points.at(next)[1];
  const [[from, start], [to, end]] = [points[next - 1], points[next]];
  return start + ((value - from) / (to - from)) * (end - start);
}

/**
 * Formats ascending times in one unit, which only the last label names. If the labels are long, every second one is
 * empty.
 */
export function tickTexts(times) {
  const [unit, size] = times.at(-1) < 10_000 ? ["ms", 1] : ["s", 1000];
  const step = (times.at(-1) - times[0]) / (times.length - 1) / size;
  const digits = step > 0 ? Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(step)))) : 0;
  const texts = times.map((time) => (time / size).toLocaleString(undefined, { maximumFractionDigits: digits }));
  const isLong = texts.some((text) => text.length > longLabel);
  return texts.map((text, i) => (i === texts.length - 1 ? `${text} ${unit}` : isLong && i % 2 === 1 ? "" : text));
}

const longLabel = 4;
