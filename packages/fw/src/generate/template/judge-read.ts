import { item, unknownData, type DataType, type ScalarName, type Step } from "../../model/render.ts";
import type { Read } from "./reads.ts";

/** The result for a read in one context. `elsewhere`: an earlier step is missing, which another read reports. */
export type Outcome = "found" | "unknown" | "elsewhere" | Missing;

export interface Missing {
  /** The steps to the value that lacks the name. */
  readonly of: readonly Step[];
  readonly step: Step;
  readonly names: readonly string[];
  /** The type of a value without names. */
  readonly scalar: ScalarName | undefined;
}

export function judgeRead({ from, own, isIterated: looped }: Read, data: DataType): Outcome {
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

/** True if the data has the name in a context. */
export function has(data: DataType, context: readonly Step[], name: string): boolean {
  let variants = variantsOf(data);
  for (const step of [...context, name]) {
    variants = variants.flatMap((variant) => inside(variant, step) ?? []).flatMap(variantsOf);
    if (variants.some(({ kind }) => kind === "unknown")) return step === name;
  }
  return variants.length > 0;
}

/** Returns the variants of a value; the template is responsible for empty ones. */
function variantsOf(type: DataType): readonly DataType[] {
  if (type.kind === "nothing") return [];
  if (type.kind !== "union") return [type];
  return type.members.length === 0 ? [unknownData] : type.members.flatMap(variantsOf);
}

/** Takes one step into a variant; undefined if it has no such member. */
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
