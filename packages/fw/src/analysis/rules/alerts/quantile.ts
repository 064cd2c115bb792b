import type { Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { measuredWell } from "./measured.ts";

export const quantile: Rule = {
  id: "quantile",
  title: "A percentile is a constant between 0 and 1, both excluded",
  *declaration(read) {
    const measured = measuredWell(read);
    if (measured?.kind !== "percentile") return;
    const { value, why, at, cause } = measured.second?.constant ?? { value: undefined, at: measured.at };
    const message = mistake(value, why, measured.second !== undefined);
    if (message !== undefined) yield { at, message, hint, ...causedBy(cause) };
  },
};

const hint = "write a number between 0 and 1, such as 0.95: the value that 95 of 100 are not above";

function mistake(value: unknown, why: string | undefined, given: boolean): string | undefined {
  if (!given) return "percentile(…) does not say which";
  if (why !== undefined) return `the percentile is not a constant: ${why}`;
  if (typeof value !== "number") return "the percentile is not a number";
  return value > 0 && value < 1 ? undefined : `the percentile ${value} is not between 0 and 1`;
}
