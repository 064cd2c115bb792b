import type { ParsedMeasure, ParsedSubject } from "../../readers/condition.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed, type NameRequirement } from "../not-named.ts";
import { measureOf, subjectMistake } from "./measured.ts";

export const alertSubject: Rule = {
  id: "alert-subject",
  title: "A condition measures a declared `API`, `Page`, `Counter` or `Histogram`",
  *declaration(read) {
    const measure = measureOf(read);
    if (!measure) return;
    const { subject } = measure;
    const mistake = subjectMistake(measure);
    // The package-level rule reports inline declarations.
    if (subject.reference.kind === "inline") return;
    if (subject.reference.kind !== "declared")
      yield* notNamed(subject.reference, subject.at, requirements[measure.kind]);
    else if (mistake === undefined) yield* denominatorMistake(measure);
    else {
      const noun = subject.kind === "histogram" ? "a histogram" : "a counter";
      yield { at: subject.at, message: `${noun} ${mistake}`, hint: hints[measure.kind] };
    }
  },
};

const endpoint = 'export const placeOrder = API("POST /orders", …)';
const any: NameRequirement = { noun: "an endpoint, a counter or a histogram", example: endpoint };
const requirements: Readonly<Record<ParsedMeasure["kind"], NameRequirement>> = {
  rate: any,
  absent: any,
  ratio: { noun: "an endpoint or a counter", example: endpoint },
  percentile: { noun: "an endpoint or a histogram", example: endpoint },
};

const hints: Readonly<Record<ParsedMeasure["kind"], string>> = {
  rate: "",
  absent: "",
  ratio: "write rate(…) for the number of observations, or percentile(…) for their values",
  percentile: "write rate(…), or declare a Histogram and observe the values",
};

/** Reports a ratio of a counter without another counter as its denominator. */
function* denominatorMistake({ kind, subject, second }: ParsedMeasure): Iterable<Finding> {
  if (kind !== "ratio" || subject.kind === "endpoint") return;
  const denominator: ParsedSubject = second?.subject ?? { at: subject.at, reference: { kind: "none" } };
  if (denominator.reference.kind === "inline" || denominator.kind === "counter") return;
  const hint = "write ratio(failed, attempted) with two counters; only endpoints have status classes";
  yield { at: denominator.at, message: "ratio(…) of a counter needs a second counter to divide by", hint };
}
