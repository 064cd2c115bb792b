import type { Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { validMeasureOf } from "./measured.ts";

export const quantile: Rule = {
  id: "quantile",
  title: "A percentile is a constant between 0 and 1, exclusive",
  *declaration(read) {
    const measure = validMeasureOf(read);
    if (measure?.kind !== "percentile") return;
    const { value, why, at, cause } = measure.second?.constant ?? { value: undefined, at: measure.at };
    const message = mistake(value, why, measure.second !== undefined);
    if (message !== undefined) yield { at, message, hint, ...causedBy(cause) };
  },
};

const hint = "write a number between 0 and 1, such as 0.95 for the 95th percentile";

function mistake(value: unknown, why: string | undefined, isPassed: boolean): string | undefined {
  if (!isPassed) return "percentile(…) needs the percentile as its second argument";
  if (why !== undefined) return `the percentile is not a constant: ${why}`;
  if (typeof value !== "number") return "the percentile is not a number";
  return value > 0 && value < 1 ? undefined : `the percentile ${value} is not between 0 and 1`;
}
