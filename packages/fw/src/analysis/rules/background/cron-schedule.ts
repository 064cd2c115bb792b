import { parseCron } from "../../../lib/cron.ts";
import type { Rule } from "../../rule.ts";
import { notConstant } from "../phrases.ts";

export const cronSchedule: Rule = {
  id: "cron-schedule",
  title: "The schedule of a `Cron` is a constant: the five fields of unix-cron, or `every` and a duration",
  *declaration(read) {
    if (read.kind !== "cron") return;
    const { at, value } = read.schedule;
    if (value === undefined) {
      yield notConstant("the schedule", read.schedule, 'write a literal, such as "0 7 * * 1" or "every 15m"');
      return;
    }
    const parsed = parseCron(value);
    if ("message" in parsed) yield { at, message: parsed.message, hint: parsed.hint };
  },
};
