import { parseRate } from "../../../lib/rate.ts";
import type { Rule } from "../../rule.ts";
import { notConstant } from "../phrases.ts";

export const limitRate: Rule = {
  id: "limit-rate",
  title: "The rate of a `Limit` is a constant: a count from 1 to 1,000, a slash, and a window from 1 second to 31 days",
  *declaration(read) {
    if (read.kind !== "limit") return;
    const { at, value } = read.rate;
    if (value === undefined) {
      yield notConstant("the rate", read.rate, 'write a literal, such as "10/h" or "5/15m"');
      return;
    }
    const parsed = parseRate(value);
    if ("problem" in parsed) yield { at, message: parsed.problem, hint: parsed.hint };
  },
};
