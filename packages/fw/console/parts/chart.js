/** What each metric was at the times it was asked for, so that charts show how it goes on. */
const history = new Map();
/** Points of a chart. */
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

/** What is remembered of a metric with its labels. */
export function historyOf(name, labels) {
  return history.get(JSON.stringify([name, labels])) ?? [];
}

/** How much a total has grown from one point to the next. */
export function chart(values) {
  const grown = values.slice(1).map((value, i) => Math.max(0, value - values[i]));
  const most = Math.max(1, ...grown);
  const points = grown
    .map((value, i) => `${(i / Math.max(1, chartPoints - 2)) * 100},${29 - (value / most) * 27}`)
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
