import { formatDuration, parseDuration } from "../../../lib/duration.ts";
import { longestCronDeadlineMs, shortestCronDeadlineMs } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";

export const deadline: Rule = {
  id: "deadline",
  title: "The deadline of a Cron is 15 seconds to 30 minutes",
  *declaration(read) {
    const setting = read.kind === "cron" ? read.config.settings.deadline : undefined;
    if (setting?.value === undefined) return;
    const message = deadlineMistake(setting.value);
    if (message !== undefined) yield { at: setting.at, message, hint };
  },
};

const [shortest, longest] = [formatDuration(shortestCronDeadlineMs), formatDuration(longestCronDeadlineMs)];
const hint = `write a literal from "${shortest}" to "${longest}"; work that takes longer is a Job`;

function deadlineMistake(value: unknown): string | undefined {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms === undefined)
    return typeof value === "string" ? `the deadline "${value}" is not a duration` : "the deadline is not a duration";
  if (ms < shortestCronDeadlineMs) return `the deadline "${String(value)}" is shorter than 15 seconds`;
  return ms > longestCronDeadlineMs ? `the deadline "${String(value)}" is longer than 30 minutes` : undefined;
}
