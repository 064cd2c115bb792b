import type { ParsedMeasure, ParsedSubject } from "../../readers/condition.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed, type Wanted } from "../not-named.ts";
import { measuredBy, subjectMistake } from "./measured.ts";

export const alertSubject: Rule = {
  id: "alert-subject",
  title: "A condition looks at a declared endpoint, counter or histogram that it can measure",
  *declaration(read) {
    const measured = measuredBy(read);
    if (!measured) return;
    const { subject } = measured;
    const mistake = subjectMistake(measured);
    // A declaration in the place of its name is told by package-level.
    if (subject.reference.kind === "inline") return;
    if (subject.reference.kind !== "declared") yield* notNamed(subject.reference, subject.at, wanted[measured.kind]);
    else if (mistake === undefined) yield* wholeMistake(measured);
    else {
      const noun = subject.kind === "histogram" ? "a histogram" : "a counter";
      yield { at: subject.at, message: `${noun} ${mistake}`, hint: hints[measured.kind] };
    }
  },
};

const endpoint = 'export const placeOrder = API("POST /orders", …)';
const any: Wanted = { noun: "an endpoint, a counter or a histogram", example: endpoint };
const wanted: Readonly<Record<ParsedMeasure["kind"], Wanted>> = {
  rate: any,
  absent: any,
  ratio: { noun: "an endpoint or a counter", example: endpoint },
  percentile: { noun: "an endpoint or a histogram", example: endpoint },
};

const hints: Readonly<Record<ParsedMeasure["kind"], string>> = {
  rate: "",
  absent: "",
  ratio: "write rate(…) to see how often it observes, or percentile(…) to see what",
  percentile: "write rate(…), or declare a Histogram and observe the values",
};

/** A counter is a share of another counter. */
function* wholeMistake({ kind, subject, second }: ParsedMeasure): Iterable<Finding> {
  if (kind !== "ratio" || subject.kind === "endpoint") return;
  const whole: ParsedSubject = second?.subject ?? { at: subject.at, reference: { kind: "none" } };
  if (whole.reference.kind === "inline" || whole.kind === "counter") return;
  const hint = "write ratio(failed, attempted), both counters; the answers of a class are counted of endpoints";
  yield { at: whole.at, message: "a counter is not told of which counter it is a part", hint };
}
