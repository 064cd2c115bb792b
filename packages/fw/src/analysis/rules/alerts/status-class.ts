import { listOf, nearest } from "../../../lib/suggest.ts";
import { statusClasses } from "../../../lib/alert-rule.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import { isStatusClass, type ParsedMeasure } from "../../readers/condition.ts";
import type { Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { validMeasureOf } from "./measured.ts";

export const statusClass: Rule = {
  id: "status-class",
  title: "The status of a condition is a class, `1xx` to `5xx`",
  *declaration(read) {
    const measure = validMeasureOf(read);
    const status = measure && statusOf(measure);
    if (status === undefined || isStatusClass(status.value)) return;
    const { at, value, why, cause } = status;
    yield { at, message: mistake(value, why), hint: hintFor(value), ...causedBy(cause) };
  },
};

/** Returns the status argument, valid or not; undefined if the condition has none. */
function statusOf({ kind, at, subject, second }: ParsedMeasure): Located<unknown> | undefined {
  if (subject.kind !== "endpoint") return undefined;
  if (kind === "ratio") return second?.constant ?? { at, value: undefined };
  return kind === "percentile" ? undefined : second?.labels.find(({ name }) => name === "status")?.value;
}

function mistake(value: unknown, why: string | undefined): string {
  if (why !== undefined) return `the status is not a constant: ${why}`;
  if (value === undefined) return "ratio(…) needs a status class as its second argument";
  return typeof value === "string" || typeof value === "number"
    ? `"${value}" is not a status class`
    : "the status is not a status class";
}

function hintFor(value: unknown): string {
  const text = String(value);
  const isStatus = /^[1-5]\d\d$/.test(text);
  // A class such as 6xx is one character away from every valid class, so the suggestion would be arbitrary.
  const isClass = /^\dxx$/.test(text);
  const suggestion = isStatus ? `${text[0]}xx` : isClass ? undefined : nearest(text, statusClasses);
  return suggestion === undefined ? `the classes are ${listOf(statusClasses, "and")}` : `did you mean "${suggestion}"?`;
}
