import { cachedByObject } from "../../../lib/cached-by-object.ts";
import { repeats } from "../../../lib/grouped.ts";
import { inSourceOrder } from "../../../model/diagnostic.ts";
import { hasDescription, kinds, type KindWith, type NameDescription, type NameGrammar } from "../../../model/kinds.ts";
import type { Parsed, ParsedPackage } from "../../readers/parsed.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Finding, Rule } from "../../rule.ts";

const grammars: Readonly<Record<NameGrammar, { readonly pattern: RegExp; readonly words: string }>> = {
  physical: {
    pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    words: "1 to 63 lowercase letters, digits and hyphens, with a letter or digit at both ends",
  },
  stored: {
    pattern: /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/,
    words: "1 to 63 lowercase letters, digits, hyphens and underscores, with a letter or digit at both ends",
  },
  variable: {
    pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,199}$/,
    words: "1 to 200 letters, digits, underscores and hyphens, with a letter or an underscore first, such as MAIL_KEY",
  },
  metric: {
    pattern: /^[A-Za-z](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/,
    words: "1 to 63 letters, digits, hyphens and underscores, with a letter first and a letter or digit at the end",
  },
  label: {
    pattern: /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/,
    words: "1 to 63 letters, digits, hyphens and underscores, with a letter or digit at both ends",
  },
};

type NamedDeclaration = Extract<Parsed, { kind: KindWith<"name"> }>;

export const resourceName: Rule = {
  id: "resource-name",
  title:
    "The name of a declaration has the characters of its kind, such as lowercase letters for a queue, and is unique",
  *declaration(read) {
    if (!isNamed(read)) return;
    const { at, value } = read.text;
    const { noun, grammar, reserved = [] } = nameOf(read);
    const { pattern, words } = grammars[grammar];
    if (value === undefined) return;
    if (reserved.includes(value)) yield reservedName(at, value, noun);
    if (pattern.test(value)) return;
    const example = grammar === "variable" ? "" : exampleLike(value, pattern);
    yield { at, message: `"${value}" is not a valid name for ${noun}`, hint: `use ${words}${example}` };
  },
  *app({ packages }) {
    const all = packages.flatMap(namedIn);
    const inOrder = all.toSorted((a, b) => inSourceOrder(a.text.at, b.text.at));
    for (const { first, again } of repeats(inOrder, keyOf)) yield repeatedName(nameOf(again), again.text, first.text);
  },
};

const namedIn = cachedByObject(({ reads }: ParsedPackage) => reads.filter(isNamed));

/**
 * Returns a key for comparing names: some platforms ignore case, and Prometheus replaces hyphens with underscores.
 * Undefined if the name is unknown or need not be unique.
 */
function keyOf(read: NamedDeclaration): string | undefined {
  const { plural, why, grammar } = nameOf(read);
  const name = read.text.value?.toLowerCase();
  if (name === undefined || why === undefined) return undefined;
  return `${plural} ${grammar === "metric" ? name.replaceAll("-", "_") : name}`;
}

function isNamed(read: Parsed): read is NamedDeclaration {
  return read.kind !== "misplaced" && hasDescription(read.kind, "name");
}

function nameOf({ kind }: NamedDeclaration): NameDescription {
  return kinds[kind].name;
}

function reservedName(at: Finding["at"], value: string, noun: string): Finding {
  const message = `"${value}" is a metric that fw itself records`;
  return { at, message, hint: `choose another name for ${noun}` };
}

/** Returns a suffix that suggests a valid name similar to `value`; empty if none is found. */
function exampleLike(value: string, pattern: RegExp): string {
  const safeName = toSafeName(value);
  const example = [safeName, safeName.replace(/^[0-9-]+/, "")].find((each) => pattern.test(each));
  return example === undefined ? "" : `, such as "${example}"`;
}

function repeatedName(
  { plural, why }: NameDescription,
  { at, value }: Located<string>,
  first: Located<string>,
): Finding {
  const isCase = first.value?.toLowerCase() === value?.toLowerCase();
  const alike =
    first.value === value ? "" : isCase ? ", which only differ in case" : `, as "${first.value}" is exported`;
  return {
    at,
    message: `two ${plural} have the name "${value}"${alike}`,
    hint: `rename one, or import the first where you need it: ${why}`,
    related: [{ at: first.at, message: "the first is declared here" }],
  };
}

function toSafeName(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 63);
}
