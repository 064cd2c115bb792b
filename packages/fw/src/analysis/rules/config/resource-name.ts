import type { EntityRead, Reading } from "../../readers/read.ts";
import type { Finding, Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";

/** Lowercase letters, digits and hyphens, with a letter or digit at both ends. */
const physical = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const resourceName: Rule = {
  id: "resource-name",
  title: "The name of a resource is lowercase letters, digits and hyphens, and its own",
  *declaration(read) {
    if (read.kind === "secret") yield* secretName(read.text);
    if (read.kind !== "entity" || read.text.value === undefined || physical.test(read.text.value)) return;
    const { at, value } = read.text;
    const tame = tamed(value);
    yield {
      at,
      message: `"${value}" is not a name for an entity`,
      hint: `use 1 to 63 lowercase letters, digits and hyphens, with a letter or digit at both ends${tame === "" ? "" : `, such as "${tame}"`}`,
    };
  },
  *app({ packages }) {
    const known = new Map<string, EntityRead>();
    const entities = packages.flatMap((read) => ofKind(read, "entity")).toSorted(bySource);
    for (const read of entities) {
      const { at, value } = read.text;
      const first = value === undefined ? undefined : known.get(value);
      if (value === undefined) continue;
      if (!first) known.set(value, read);
      else
        yield {
          at,
          message: `there are two entities of the name "${value}"`,
          hint: "give each its own name, or import the first where it is needed: documents of two types must not mix",
          related: [{ at: first.text.at, message: "the first is named here" }],
        };
    }
  },
};

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

function bySource({ text: { at: a } }: EntityRead, { text: { at: b } }: EntityRead): number {
  return (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.column - b.column;
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
