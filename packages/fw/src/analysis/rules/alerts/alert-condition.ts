import { histogramLargest } from "../../../lib/limits.ts";
import type { ParsedMeasure } from "../../readers/condition.ts";
import type { Finding, Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { validMeasureOf } from "./measured.ts";

export const alertCondition: Rule = {
  id: "alert-condition",
  title: "An `Alert` compares a `rate`, `ratio` or `percentile` with a number that it can cross, or uses `absent`",
  *declaration(read) {
    if (read.kind !== "alert") return;
    const { settings, complete } = read.config;
    if (settings.if === undefined) {
      if (complete)
        yield { at: read.config.at, message: `the alert "${read.declaration.variable}" has no condition`, hint };
    } else if (settings.if.value?.kind === "none") {
      yield { at: settings.if.at, message: "this is not a condition", hint };
    } else {
      const measure = validMeasureOf(read);
      if (measure) yield* comparisonMistake(measure);
    }
  },
};

const hint =
  'write rate(…), ratio(…) or percentile(…) with .above(…) or .below(…), or absent(…), such as ratio(placeOrder, "5xx").above(0.02)';

function* comparisonMistake(measure: ParsedMeasure): Iterable<Finding> {
  const { kind, at, comparison } = measure;
  if (kind === "absent") {
    if (comparison === undefined) return;
    const message = `absent(…) is not a number, so .${comparison.by}(…) does not apply`;
    yield { at: comparison.threshold.at, message, hint: `write absent(…) alone, or rate(…).${comparison.by}(…)` };
  } else if (comparison === undefined) {
    yield { at, message: `${kind}(…) has no comparison`, hint: "add .above(…) or .below(…)" };
  } else {
    const { threshold } = comparison;
    const mistake = thresholdMistake(measure, comparison);
    if (mistake) yield { at: threshold.at, ...mistake, ...causedBy(threshold.cause) };
  }
}

function thresholdMistake(
  measure: ParsedMeasure,
  { by, threshold }: NonNullable<ParsedMeasure["comparison"]>,
): Pick<Finding, "message" | "hint"> | undefined {
  const { value, why } = threshold;
  if (value === undefined) {
    const message = why === undefined ? "the threshold is missing" : `the threshold is not a constant: ${why}`;
    return { message, hint: "write a number" };
  }
  if (typeof value !== "number" || !Number.isFinite(value))
    return { message: "the threshold is not a number", hint: "write a number" };
  const [least, most] = rangeOf(measure);
  const expression = `${measure.kind}(…).${by}(${value})`;
  const range = `${measure.kind}(…) is ${most === Infinity ? `${least} or more` : `from ${least} to ${most}`}`;
  if (by === "above" ? value >= most : value <= least) return { message: `${expression} is never true`, hint: range };
  if (by === "above" ? value < least : value > most) return { message: `${expression} is always true`, hint: range };
  return undefined;
}

/** Returns the possible range of a measure: minimum and maximum. */
function rangeOf({ kind, subject }: ParsedMeasure): readonly [number, number] {
  if (kind === "percentile") return [0, histogramLargest];
  return [0, kind === "ratio" && subject.kind === "endpoint" ? 1 : Infinity];
}
