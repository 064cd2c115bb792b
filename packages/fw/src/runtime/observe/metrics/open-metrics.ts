import { grouped } from "../../../lib/grouped.ts";
import { openMetricsName } from "../../../lib/metric-name.ts";
import { bucketBounds } from "./buckets.ts";
import type { MetricSeries, MetricSnapshot } from "./snapshot.ts";

export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Descriptions of the framework's own metrics. */
const help: Readonly<Record<string, string>> = {
  requests: "Completed requests, cron runs and job task runs.",
  request_ms: "Durations of requests, cron runs and job task runs, in milliseconds.",
  misfits: "Reads of documents and deliveries of messages that do not fit their type.",
};

/** Units that a name can end with. */
const units: ReadonlySet<string> = new Set(["bytes", "ms", "seconds"]);

/** The suffixes of sample names in a family. */
const suffixes: readonly string[] = ["", "_total", "_bucket", "_count", "_sum", "_created"];

/** Formats a snapshot in the OpenMetrics format, which Prometheus scrapes. */
export function openMetricsText({ series }: MetricSnapshot): string {
  const usedNames = new Set<string>();
  const texts = [...grouped(series, ({ name }) => name)].map(([name, each]) =>
    familyText(name, familyName(name, usedNames), each),
  );
  return `${texts.join("")}# EOF\n`;
}

function familyText(declaredName: string, name: string, series: readonly MetricSeries[]): string {
  const kind = series[0]?.kind ?? "counter";
  const unit = name.slice(name.lastIndexOf("_") + 1);
  const lines = [
    `# TYPE ${name} ${kind}`,
    ...(name !== unit && units.has(unit) ? [`# UNIT ${name} ${unit}`] : []),
    `# HELP ${name} ${escapeText(help[declaredName] ?? `The ${kind} ${declaredName} of the application.`)}`,
    ...series.flatMap((each) => samplesOf(name, each)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Converts a declared name to a valid family name. Appends a number if one of its sample names is already in use. */
function familyName(declaredName: string, usedNames: Set<string>): string {
  const name = openMetricsName(declaredName);
  for (let number = 1; ; number++) {
    const family = number === 1 ? name : `${name}_${number}`;
    const names = suffixes.map((suffix) => family + suffix);
    if (names.some((each) => usedNames.has(each))) continue;
    for (const each of names) usedNames.add(each);
    return family;
  }
}

function samplesOf(name: string, series: MetricSeries): readonly string[] {
  const { labels } = series;
  if (series.kind === "counter") return [sample(`${name}_total`, labels, series.value)];
  return [
    ...bucketBounds.map((bound, index) =>
      sample(`${name}_bucket`, { ...labels, le: `${bound}.0` }, series.atMost[index] ?? 0),
    ),
    sample(`${name}_bucket`, { ...labels, le: "+Inf" }, series.count),
    sample(`${name}_count`, labels, series.count),
    sample(`${name}_sum`, labels, series.sum),
  ];
}

function sample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeText(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escapeText(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
