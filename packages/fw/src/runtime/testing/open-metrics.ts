/** One metric family in an OpenMetrics text. */
export interface Family {
  type: string;
  unit: string;
  help: string;
  readonly samples: Sample[];
}

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const nameText = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const numberText = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN`;
const metadata = new RegExp(`^# (TYPE|UNIT|HELP) (${nameText}) (.*)$`, "s");
const sampleLine = new RegExp(`^(${nameText})(?:\\{(.*)\\})? (${numberText})$`, "s");
const labelPair = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/s;
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total", "_created"],
  histogram: ["_bucket", "_count", "_sum", "_created"],
};

/** Parses the subset of OpenMetrics 1.0 for counters and histograms. Throws for anything else. */
export function parseOpenMetrics(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("# EOF\n")) throw new Error("the text does not end with # EOF");
  const families = new Map<string, Family>();
  const sampleNames = new Map<string, string>();
  let current = "";
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const [, about, named = "", rest = ""] = metadata.exec(line) ?? [];
    if (about !== undefined) {
      if (named !== current) begin(named);
      describe(named, about, rest);
    } else addSample(line);
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;

  function begin(name: string): void {
    if (families.has(name)) throw new Error(`${name} is there twice`);
    families.set(name, { type: "", unit: "", help: "", samples: [] });
    current = name;
  }

  function describe(name: string, about: string, rest: string): void {
    const family = of(name);
    if (family.samples.length > 0) throw new Error(`${about} of ${name} comes after its samples`);
    if (about === "TYPE" && !(rest in suffixes)) throw new Error(`${rest} is no type`);
    if (about === "UNIT" && !name.endsWith(`_${rest}`)) throw new Error(`${name} does not end with its unit ${rest}`);
    if (about === "HELP") unescaped(rest);
    const key = about.toLowerCase() as "type" | "unit" | "help";
    if (family[key] !== "") throw new Error(`${name} has two ${about}`);
    family[key] = rest;
  }

  function addSample(line: string): void {
    const [, name = "", inside = "", value] = sampleLine.exec(line) ?? [];
    if (value === undefined) throw new Error(`no sample: ${line}`);
    const family = of(current);
    if (!(suffixes[family.type] ?? []).some((suffix) => name === current + suffix))
      throw new Error(`${name} is no sample of ${current}, a ${family.type}`);
    const owner = sampleNames.get(name) ?? current;
    if (owner !== current || (name !== current && families.has(name))) throw new Error(`${name} is another family's`);
    sampleNames.set(name, current);
    const labels = labelsOf(inside);
    if (family.samples.some((each) => each.name === name && same(each.labels, labels)))
      throw new Error(`${line} is there twice`);
    family.samples.push({ name, labels, value: Number(value.replace("Inf", "Infinity")) });
  }

  function of(name: string): Family {
    const family = families.get(name);
    if (family === undefined) throw new Error(`nothing says what ${name} is`);
    return family;
  }
}

function labelsOf(text: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (let rest = text; rest !== "";) {
    const [whole, name = "", value = ""] = labelPair.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`no labels: ${text}`);
    if (labels.has(name)) throw new Error(`the label ${name} is there twice`);
    labels.set(name, unescaped(value));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function unescaped(text: string): string {
  return text.replace(/\\(.?)/gs, (_, character: string) => {
    if (character === "n") return "\n";
    if (character === "\\" || character === '"') return character;
    throw new Error(`no escape: \\${character}`);
  });
}

function same(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}

/** Checks that each point lists its buckets in order, with counts that never decrease, followed by the total. */
function checkHistogram(name: string, { samples }: Family): void {
  const points = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify([...sample.labels].filter(([label]) => label !== "le"));
    points.set(key, [...(points.get(key) ?? []), sample]);
  }
  for (const point of points.values()) {
    const buckets = point.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.get("le")?.replace("Inf", "Infinity")));
    if (bounds.some((bound, index) => !(bound > (bounds[index - 1] ?? -Infinity)))) throw new Error(`${name}: le`);
    if (buckets.some(({ value }, index) => value < (buckets[index - 1]?.value ?? 0))) throw new Error(`${name}: falls`);
    const count = point.find((sample) => sample.name === `${name}_count`)?.value;
    if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count) throw new Error(`${name}: count`);
  }
}
