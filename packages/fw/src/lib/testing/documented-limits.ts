import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface DocumentedLimit {
  readonly name: string;
  readonly value: number;
  readonly description: string;
  /** The heading in the specification that requires the limit; "" for fw's own limits. */
  readonly heading: string;
  /** The file with the limit's constant, below `src`. */
  readonly path: string;
}

const src = fileURLToPath(new URL("../../", import.meta.url));
const shared = "lib/limits.ts";
const constant = /^\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n(?:export )?const (\w+)(?:: number)? = ([^;]+);/gm;

/** Reads the limits in `lib/limits.ts`, then the constants in other files whose comments start with "Limit:". */
export function documentedLimits(): readonly DocumentedLimit[] {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test|\.d)\.ts$/.test(path) && path !== shared)
    .toSorted();
  return [...limitsIn(shared, /SPEC ([^:]+): |/), ...files.flatMap((path) => limitsIn(path, /Limit()?: /))];
}

/** The values of all limits by name. */
export const limitValues: Readonly<Record<string, number>> = Object.fromEntries(
  documentedLimits().map(({ name, value }) => [name, value]),
);

function limitsIn(path: string, prefix: RegExp): readonly DocumentedLimit[] {
  return [...readFileSync(join(src, path), "utf8").matchAll(constant)].flatMap(
    ([, comment = "", name = "", text = ""]) => {
      const sentence = comment.replaceAll(/\s*\n \*(?: |$)/g, " ").trim();
      const [start, heading = ""] = new RegExp(`^(?:${prefix.source})`).exec(sentence) ?? [];
      if (start === undefined) return [];
      const description = sentence.slice(start.length);
      return [
        {
          name,
          value: valueOf(text),
          description: capitalized(description),
          heading: heading.replaceAll('"', ""),
          path,
        },
      ];
    },
  );
}

/** Evaluates a product of numbers, such as `64 * 1024` or `16 * KiB`. */
function valueOf(text: string): number {
  const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 * 1024 };
  return text.split("*").reduce((product, factor) => {
    const name = factor.trim();
    return product * (units[name] ?? Number(name.replaceAll("_", "")));
  }, 1);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
