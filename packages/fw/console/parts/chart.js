/** Samples of each metric, for the charts. */
const history = new Map();
/** The most points in a chart. */
const chartPoints = 60;

export function remember(series) {
  for (const each of series) {
    const key = JSON.stringify([each.name, each.labels]);
    const values = history.get(key) ?? [];
    values.push(each.kind === "counter" ? each.value : each.count);
    if (values.length > chartPoints) values.shift();
    history.set(key, values);
  }
}

/** Returns the samples of a metric with these labels. */
export function historyOf(name, labels) {
  return history.get(JSON.stringify([name, labels])) ?? [];
}

/** Draws the growth of a total from each sample to the next. */
export function chart(values) {
  const growth = values.slice(1).map((value, i) => Math.max(0, value - values[i]));
  const highest = Math.max(1, ...growth);
  const points = growth
    .map((value, i) => `${(i / Math.max(1, chartPoints - 2)) * 100},${29 - (value / highest) * 27}`)
    .join(" ");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 100 30");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("points", points);
  svg.append(line);
  return svg;
}
