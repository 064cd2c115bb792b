import { inSourceOrder } from "../../../model/diagnostic.ts";
import type { Read } from "../../readers/read.ts";
import type { Reading } from "../../readers/reading.ts";
import type { Finding, Rule } from "../../rule.ts";

/** Lowercase letters, digits and hyphens, with a letter or digit at both ends. */
const physical = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** What a path of `/_fw/`, a label of logs and a name in the cloud can all be. */
const label = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;

interface Named {
  readonly noun: string;
  readonly plural: string;
  readonly grammar: RegExp;
  /** Why two of one name cannot be. */
  readonly why: string;
}

const kinds = {
  entity: { noun: "an entity", plural: "entities", grammar: physical, why: "documents of two types must not mix" },
  bucket: { noun: "a bucket", plural: "buckets", grammar: physical, why: "objects are kept under the name" },
  queue: { noun: "a queue", plural: "queues", grammar: physical, why: "messages of two types must not mix" },
  topic: { noun: "a topic", plural: "topics", grammar: physical, why: "events of two types must not mix" },
  cron: { noun: "a cron", plural: "crons", grammar: label, why: "it is started and logged by its name" },
  job: { noun: "a job", plural: "jobs", grammar: label, why: "it is started and logged by its name" },
  singleton: { noun: "a singleton", plural: "singletons", grammar: label, why: "one body runs under each name" },
} as const satisfies Readonly<Record<string, Named>>;

type NamedRead = Extract<Read, { kind: keyof typeof kinds }>;

export const resourceName: Rule = {
  id: "resource-name",
  title: "The name of a resource has the characters that its kind may have, and is its own",
  *declaration(read) {
    if (read.kind === "secret") yield* secretName(read.text);
    if (!isNamed(read)) return;
    const { at, value } = read.text;
    const { noun, grammar } = kinds[read.kind];
    if (value === undefined || grammar.test(value)) return;
    yield { at, message: `"${value}" is not a name for ${noun}`, hint: grammarHint(value, grammar) };
  },
  *app({ packages }) {
    const firsts = new Map<string, NamedRead>();
    const all = packages.flatMap(({ reads }) => reads.filter(isNamed));
    for (const read of all.toSorted((a, b) => inSourceOrder(a.text.at, b.text.at))) {
      const { at, value } = read.text;
      if (value === undefined) continue;
      const key = `${read.kind} ${value.toLowerCase()}`;
      const first = firsts.get(key);
      if (first) yield repeated(read.kind, at, value, first.text);
      else firsts.set(key, read);
    }
  },
};

function isNamed(read: Read): read is NamedRead {
  return Object.hasOwn(kinds, read.kind);
}

function grammarHint(value: string, grammar: RegExp): string {
  const letters =
    grammar === physical ? "lowercase letters, digits and hyphens" : "letters, digits, hyphens and underscores";
  const tame = tamed(value);
  const example = tame === "" ? "" : `, such as "${tame}"`;
  return `use 1 to 63 ${letters}, with a letter or digit at both ends${example}`;
}

function repeated(kind: NamedRead["kind"], at: Finding["at"], value: string, first: Reading<string>): Finding {
  const { plural, why } = kinds[kind];
  const alike = first.value === value ? "" : ", which differ in case only";
  return {
    at,
    message: `there are two ${plural} of the name "${value}"${alike}`,
    hint: `give each its own name, or import the first where it is needed: ${why}`,
    related: [{ at: first.at, message: "the first is named here" }],
  };
}

/** What a line of an env file, a variable of the environment and a secret store can all be called. */
const variable = /^[A-Za-z_][A-Za-z0-9_-]{0,199}$/;

function* secretName({ at, value }: Reading<string>): Iterable<Finding> {
  if (value === undefined || variable.test(value)) return;
  yield {
    at,
    message: `"${value}" is not a name for a secret`,
    hint: "use 1 to 200 letters, digits, underscores and hyphens, with a letter or an underscore first, such as MAIL_KEY",
  };
}

function tamed(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 63);
}
