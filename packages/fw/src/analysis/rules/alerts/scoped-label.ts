import type { ParsedMeasure, ParsedLabel } from "../../readers/condition.ts";
import { kinds } from "../../../model/kinds.ts";
import type { Rule } from "../../rule.ts";
import { measuredWell } from "./measured.ts";

export const scopedLabel: Rule = {
  id: "scoped-label",
  title: "A condition asks for labels that its subject carries",
  *declaration(read) {
    const measured = measuredWell(read);
    if (measured === undefined || (measured.kind !== "rate" && measured.kind !== "absent")) return;
    for (const label of measured.second?.labels ?? []) {
      const mistake = labelMistake(measured, label);
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
      message: `${kinds[kind].name.noun} carries no label "${name}"`,
      hint: "leave the labels out: all that was recorded counts",
    };
  }
  if (name === "status") return undefined;
  const hint =
    name === "route"
      ? "name the endpoint that the alert is about; each has its own route"
      : "the label that requests of an endpoint can be told apart by is status";
  return { message: `the requests of an endpoint carry no label "${name}" to ask for`, hint };
}
