import { histogramLargest } from "../../../lib/limits.ts";
import type { ParsedMeasure } from "../../readers/condition.ts";
import type { Finding, Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { measuredWell } from "./measured.ts";

export const alertCondition: Rule = {
  id: "alert-condition",
  title: "The condition of an Alert is one of rate, ratio, percentile and absent, and can hold and not hold",
  *declaration(read) {
    if (read.kind !== "alert") return;
    const { settings, complete } = read.config;
    if (settings.if === undefined) {
      if (complete)
        yield { at: read.config.at, message: `the alert "${read.declaration.variable}" has no condition`, hint };
    } else if (settings.if.value?.kind === "none") {
      yield { at: settings.if.at, message: "this is not a condition", hint };
    } else {
      const measured = measuredWell(read);
      if (measured) yield* comparisonMistake(measured);
    }
  },
};

const hint =
  'write rate(…), ratio(…) or percentile(…) with .above(…) or .below(…), or absent(…), such as ratio(placeOrder, "5xx").above(0.02)';

function* comparisonMistake(measured: ParsedMeasure): Iterable<Finding> {
  const { kind, at, comparison } = measured;
  if (kind === "absent") {
    if (comparison === undefined) return;
    const message = `absent(…) is no number that could be ${comparison.by} another`;
    yield { at: comparison.threshold.at, message, hint: `write absent(…) alone, or rate(…).${comparison.by}(…)` };
  } else if (comparison === undefined) {
    yield { at, message: `${kind}(…) is compared with nothing`, hint: "add .above(…) or .below(…)" };
  } else {
    const { threshold } = comparison;
    const mistake = thresholdMistake(measured, comparison);
    if (mistake) yield { at: threshold.at, ...mistake, ...causedBy(threshold.cause) };
  }
}

function thresholdMistake(
  measured: ParsedMeasure,
  { by, threshold }: NonNullable<ParsedMeasure["comparison"]>,
): Pick<Finding, "message" | "hint"> | undefined {
  const { value, why } = threshold;
  if (value === undefined) {
    const message = why === undefined ? "there is no threshold" : `the threshold is not a constant: ${why}`;
    return { message, hint: "write a number" };
  }
  if (typeof value !== "number" || !Number.isFinite(value))
    return { message: "the threshold is not a number", hint: "write a number" };
  const [least, most] = rangeOf(measured);
  const written = `${measured.kind}(…).${by}(${value})`;
  const range = most === Infinity ? `it is ${least} or more` : `it is from ${least} to ${most}`;
  if (by === "above" ? value >= most : value <= least) return { message: `${written} never holds`, hint: range };
  if (by === "above" ? value < least : value > most) return { message: `${written} always holds`, hint: range };
  return undefined;
}

/** The least and the most that a measure can be. */
function rangeOf({ kind, subject }: ParsedMeasure): readonly [number, number] {
  if (kind === "percentile") return [0, histogramLargest];
  return [0, kind === "ratio" && subject.kind === "endpoint" ? 1 : Infinity];
}
