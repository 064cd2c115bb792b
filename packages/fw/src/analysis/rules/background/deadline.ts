import { formatDuration } from "../../../lib/duration.ts";
import { longestCronDeadlineMs, shortestCronDeadlineMs } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";
import { durationMistake } from "../phrases.ts";

export const deadline: Rule = {
  id: "deadline",
  title: "The `deadline` of a `Cron` is 15 seconds to 30 minutes",
  *declaration(read) {
    const setting = read.kind === "cron" ? read.config.settings.deadline : undefined;
    if (setting?.value === undefined) return;
    const message = durationMistake("the deadline", setting.value, range);
    if (message !== undefined) yield { at: setting.at, message, hint };
  },
};

const [shortest, longest] = [formatDuration(shortestCronDeadlineMs), formatDuration(longestCronDeadlineMs)];
const hint = `write a literal from "${shortest}" to "${longest}"; use a Job for longer work`;
const range = {
  least: { ms: shortestCronDeadlineMs, words: "15 seconds" },
  most: { ms: longestCronDeadlineMs, words: "30 minutes" },
};
