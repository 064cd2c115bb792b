import { formatDuration } from "../../../lib/duration.ts";
import { longestForMs, longestWindowMs, shortestWindowMs } from "../../../lib/limits.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Finding, Rule } from "../../rule.ts";
import { durationMistake } from "../phrases.ts";

export const window: Rule = {
  id: "window",
  title: "The window of an `Alert` is 1 minute to 25 hours, and the alert waits at most 24 hours before it fires",
  *declaration(read) {
    if (read.kind !== "alert") return;
    const { settings, complete } = read.config;
    if (settings.every) yield* mistake("every", settings.every, shortestWindowMs, longestWindowMs);
    else if (complete && settings.if)
      yield {
        at: read.config.at,
        message: `the alert "${read.declaration.variable}" has no window`,
        hint: hintOf("every", shortestWindowMs, longestWindowMs),
      };
    if (settings.for) yield* mistake("for", settings.for, 0, longestForMs);
  },
};

function hintOf(name: string, shortest: number, longest: number): string {
  return `write ${name} as a literal from "${shortest === 0 ? "0s" : formatDuration(shortest)}" to "${words(longest)}"`;
}

/** Formats a duration in hours, even whole days: the limits are documented in hours. */
function words(ms: number): string {
  return `${ms / 3_600_000}h`;
}

function* mistake(name: string, { at, value }: Located<unknown>, shortest: number, longest: number): Iterable<Finding> {
  // The config-literal rule reports non-constant values.
  if (value === undefined) return;
  const least = { ms: shortest, words: formatDuration(shortest) };
  const most = { ms: longest, words: words(longest) };
  const message = durationMistake(name, value, { least, most, whole: true });
  if (message !== undefined) yield { at, message, hint: hintOf(name, shortest, longest) };
}
