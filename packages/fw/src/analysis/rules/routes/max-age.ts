import { formatDuration, parseDuration } from "../../../lib/duration.ts";
import { longestMaxAge, shortestMaxAge } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";
import { isEndpoint } from "../select.ts";

export const maxAge: Rule = {
  id: "max-age",
  title: "maxAge is a constant between 1 second and one year",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const setting = read.config.settings.maxAge;
    if (!setting) return;
    const mistake = maxAgeMistake(setting.value);
    if (mistake !== undefined)
      yield { at: setting.at, message: mistake, hint: 'write a literal such as "10m", "24h" or "365d"' };
  },
};

function maxAgeMistake(value: unknown): string | undefined {
  if (value === undefined) return "maxAge is not a constant";
  if (typeof value !== "string") return "maxAge is not a duration";
  const ms = parseDuration(value);
  if (ms === undefined) return `"${value}" is not a duration`;
  if (ms < shortestMaxAge * 1000) return `a maxAge of ${formatDuration(ms)} is shorter than 1 second`;
  if (ms > longestMaxAge * 1000) return `a maxAge of ${formatDuration(ms)} is longer than one year`;
  if (ms % 1000 !== 0) return `a maxAge of ${formatDuration(ms)} is not a whole number of seconds`;
  return undefined;
}
