import type { ParsedMeasure } from "../../readers/condition.ts";
import type { Parsed } from "../../readers/parsed.ts";

export function measureOf(read: Parsed): ParsedMeasure | undefined {
  const condition = read.kind === "alert" ? read.config.settings.if?.value : undefined;
  return condition === undefined || condition.kind === "none" ? undefined : condition;
}

/** Returns the condition if its subject is valid; alert-subject reports invalid ones. */
export function validMeasureOf(read: Parsed): ParsedMeasure | undefined {
  const measure = measureOf(read);
  return measure && subjectMistake(measure) === undefined ? measure : undefined;
}

/** Describes a mistake in a subject, as a phrase to put after its kind; undefined for a valid subject. */
export function subjectMistake({ kind, subject }: ParsedMeasure): string | undefined {
  const { reference, kind: subjectKind } = subject;
  if (reference.kind !== "declared" || subjectKind === undefined) return "cannot be measured by an alert";
  if (kind === "ratio" && subjectKind === "histogram") return "has no ratio";
  if (kind === "percentile" && subjectKind === "counter") return "has no percentiles, because it is a single value";
  return undefined;
}
