import type { ParsedMeasure, ParsedLabel } from "../../readers/condition.ts";
import { kinds } from "../../../model/kinds.ts";
import type { Rule } from "../../rule.ts";
import { validMeasureOf } from "./measured.ts";

export const scopedLabel: Rule = {
  id: "scoped-label",
  title: "A condition filters by labels that its subject has: `status`, for an endpoint",
  *declaration(read) {
    const measure = validMeasureOf(read);
    if (measure === undefined || (measure.kind !== "rate" && measure.kind !== "absent")) return;
    for (const label of measure.second?.labels ?? []) {
      const mistake = labelMistake(measure, label);
      if (mistake !== undefined) yield { at: label.at, ...mistake };
    }
  },
};

function labelMistake(
  { subject: { kind = "endpoint" } }: ParsedMeasure,
  { name }: ParsedLabel,
): { readonly message: string; readonly hint: string } | undefined {
  if (kind !== "endpoint") {
    return {
      message: `${kinds[kind].name.noun} has no label "${name}"`,
      hint: "remove the labels: the condition counts everything",
    };
  }
  if (name === "status") return undefined;
  const hint =
    name === "route"
      ? "pass the endpoint of that route to the condition instead"
      : "the only label of an endpoint's requests is status";
  return { message: `the requests of an endpoint have no label "${name}"`, hint };
}
