import { item, unknownData, type DataType, type ScalarName, type Step } from "../../model/render.ts";
import type { Read } from "./reads.ts";

/** What one context says of a read: a name that is missing before the read's own part is another read's to report. */
export type Outcome = "found" | "unknown" | "elsewhere" | Missing;

export interface Missing {
  /** What the step is missing of. */
  readonly of: readonly Step[];
  readonly step: Step;
  /** The names that there are. */
  readonly names: readonly string[];
  /** What it is, where it is nothing that has names. */
  readonly scalar: ScalarName | undefined;
}

export function judgeRead({ from, own, looped }: Read, data: DataType): Outcome {
  if (from === undefined) return "unknown";
  const steps = looped ? [...from, ...own, item] : [...from, ...own];
  let variants = variantsOf(data);
  for (const [index, step] of steps.entries()) {
    if (variants.length === 0) return "elsewhere";
    if (variants.some(({ kind }) => kind === "unknown")) return "unknown";
    const next = variants.flatMap((variant) => inside(variant, step) ?? []);
    if (next.length === 0) {
      if (index < from.length) return "elsewhere";
      return { of: steps.slice(0, index), step, names: namesOf(variants), scalar: scalarOf(variants) };
    }
    variants = next.flatMap(variantsOf);
  }
  return "found";
}

/** True where the data has a name in a context. */
export function has(data: DataType, context: readonly Step[], name: string): boolean {
  let variants = variantsOf(data);
  for (const step of [...context, name]) {
    variants = variants.flatMap((variant) => inside(variant, step) ?? []).flatMap(variantsOf);
    if (variants.some(({ kind }) => kind === "unknown")) return step === name;
  }
  return variants.length > 0;
}

/** What a value may be; that it may be nothing is for the template to allow for. */
function variantsOf(type: DataType): readonly DataType[] {
  if (type.kind === "nothing") return [];
  if (type.kind !== "union") return [type];
  return type.members.length === 0 ? [unknownData] : type.members.flatMap(variantsOf);
}

/** One step into one variant, undefined where it has none. */
function inside(type: DataType, step: Step): DataType | undefined {
  switch (type.kind) {
    case "list":
      if (step === item || /^\d+$/.test(step)) return type.items;
      return step === "length" || step === "size" ? unknownData : undefined;
    case "object":
      if (step === item) return type.rest ?? unknownData;
      return type.properties.get(step) ?? type.rest;
    case "scalar":
      return type.name === "string" && step !== item && /^(?:length|\d+)$/.test(step) ? unknownData : undefined;
    default:
      return type;
  }
}

function namesOf(variants: readonly DataType[]): readonly string[] {
  const names = variants.flatMap((variant) => (variant.kind === "object" ? [...variant.properties.keys()] : []));
  return [...new Set(names)];
}

function scalarOf(variants: readonly DataType[]): ScalarName | undefined {
  const [first] = variants;
  const isSame = variants.every(
    (variant) => variant.kind === "scalar" && first?.kind === "scalar" && variant.name === first.name,
  );
  return isSame && first?.kind === "scalar" ? first.name : undefined;
}
