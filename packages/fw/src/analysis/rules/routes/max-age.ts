import { parseDuration } from "../../../lib/duration.ts";
import { longestMaxAge, shortestMaxAge } from "../../../lib/limits.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { isEndpoint } from "../select.ts";

export const maxAge: Rule = {
  id: "max-age",
  title: "maxAge is a constant between 1 second and one year",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const setting = read.config.settings.maxAge;
    const message = setting && maxAgeMistake(setting);
    if (setting && message !== undefined) yield { at: setting.at, message, hint, ...causedBy(setting.cause) };
  },
};

const hint = 'write a literal such as "10m", "24h" or "365d"';

function maxAgeMistake({ value, why }: Located<unknown>): string | undefined {
  if (value === undefined) return why === undefined ? "maxAge is not a constant" : `maxAge is not a constant: ${why}`;
  if (typeof value !== "string") return "maxAge is not a duration";
  const ms = parseDuration(value);
  if (ms === undefined) return `the maxAge "${value}" is not a duration`;
  if (ms < shortestMaxAge * 1000) return `the maxAge "${value}" is shorter than 1 second`;
  if (ms > longestMaxAge * 1000) return `the maxAge "${value}" is longer than one year`;
  if (ms % 1000 !== 0) return `the maxAge "${value}" is not a whole number of seconds`;
  return undefined;
}
