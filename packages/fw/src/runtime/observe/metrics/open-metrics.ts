import { grouped } from "../../../lib/grouped.ts";
import { bucketBounds } from "./buckets.ts";
import type { MetricSeries, MetricSnapshot } from "./snapshot.ts";

/** What the text is sent as. */
export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** What the framework's own metrics mean. */
const help: Readonly<Record<string, string>> = {
  requests: "Requests that were answered, and runs of crons and of tasks of jobs.",
  request_ms: "Milliseconds that they took.",
};

/** Units that the end of a name says. */
const units: ReadonlySet<string> = new Set(["bytes", "ms", "seconds"]);

/** What the names of a family's samples end with. */
const suffixes: readonly string[] = ["", "_total", "_bucket", "_count", "_sum", "_created"];

/** A snapshot as Prometheus and others scrape it. */
export function openMetricsText({ series }: MetricSnapshot): string {
  const taken = new Set<string>();
  const texts = [...grouped(series, ({ name }) => name)].map(([name, each]) =>
    familyText(name, familyName(name, taken), each),
  );
  return `${texts.join("")}# EOF\n`;
}

function familyText(declared: string, name: string, series: readonly MetricSeries[]): string {
  const kind = series[0]?.kind ?? "counter";
  const unit = name.slice(name.lastIndexOf("_") + 1);
  const lines = [
    `# TYPE ${name} ${kind}`,
    ...(name !== unit && units.has(unit) ? [`# UNIT ${name} ${unit}`] : []),
    `# HELP ${name} ${escaped(help[declared] ?? `The ${kind} ${declared} of the application.`)}`,
    ...series.flatMap((each) => samplesOf(name, each)),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * A declared name with what the format allows in one: hyphens are underscores, and the end that the format gives to counters is not said
 * twice. Where another family has it already, or one of whose samples are called so, a number tells them apart.
 */
function familyName(declared: string, taken: Set<string>): string {
  const name = declared.replaceAll("-", "_").replace(/(?<=.)_total$/, "");
  for (let number = 1; ; number++) {
    const family = number === 1 ? name : `${name}_${number}`;
    const names = suffixes.map((suffix) => family + suffix);
    if (names.some((each) => taken.has(each))) continue;
    for (const each of names) taken.add(each);
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
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
