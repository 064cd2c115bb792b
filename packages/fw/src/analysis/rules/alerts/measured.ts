import type { ParsedMeasure } from "../../readers/condition.ts";
import type { Parsed } from "../../readers/parsed.ts";

/** The condition of an alert, where it is made by a function of fw. */
export function measuredBy(read: Parsed): ParsedMeasure | undefined {
  const condition = read.kind === "alert" ? read.config.settings.if?.value : undefined;
  return condition === undefined || condition.kind === "none" ? undefined : condition;
}

/** The same where its subject is one that the function takes; else alert-subject tells. */
export function measuredWell(read: Parsed): ParsedMeasure | undefined {
  const measured = measuredBy(read);
  return measured && subjectMistake(measured) === undefined ? measured : undefined;
}

/** What is wrong with a declared subject: a phrase that follows what declares it. */
export function subjectMistake({ kind, subject }: ParsedMeasure): string | undefined {
  const { reference, kind: measuredKind } = subject;
  if (reference.kind !== "declared" || measuredKind === undefined) return "is nothing that an alert can look at";
  if (kind === "ratio" && measuredKind === "histogram") return "has no part and no whole";
  if (kind === "percentile" && measuredKind === "counter") return "has one value, and no spread of values";
  return undefined;
}
