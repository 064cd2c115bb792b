import { nearest } from "../../lib/suggest.ts";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { item, type DataType, type Render, type Step, unknownData, type ScalarName } from "../../model/render.ts";
import { helperUsage } from "./form-helpers.ts";
import { problemAt, spanAt } from "./problem.ts";
import type { Read } from "./reads.ts";

export interface RenderReads {
  readonly render: Render;
  readonly reads: readonly Read[];
}

interface MissingRead {
  readonly read: Read;
  readonly missing: Missing;
  /** The calls that lack the name, in order. */
  readonly renders: Render[];
}

/** The maximum number of calls, and of further reads, that a problem lists. */
const maxPlaces = 3;

/**
 * Reports names that templates read and no call provides. A name that only some calls provide is not reported, because
 * the template may handle its absence. A name that is unknown in some context is never reported.
 */
export function dataProblems(calls: readonly RenderReads[]): readonly Diagnostic[] {
  const outcomes = new Map<string, MissingRead | "fine">();
  for (const { render, reads } of calls) for (const read of reads) judge(outcomes, render, read);
  const byName = new Map<string, MissingRead[]>();
  for (const read of outcomes.values())
    if (read !== "fine") byName.set(nameOf(read), [...(byName.get(nameOf(read)) ?? []), read]);
  return [...byName.values()].flatMap((same) => problem(same) ?? []);
}

function judge(outcomes: Map<string, MissingRead | "fine">, render: Render, read: Read): void {
  const { file, loc } = read;
  const key = `${file.name} ${loc.start.line}:${loc.start.column} ${loc.end.line}:${loc.end.column}`;
  const previous = outcomes.get(key);
  if (previous === "fine") return;
  const outcome = judgeRead(read, render.data);
  if (outcome === "elsewhere") return;
  if (outcome === "found" || outcome === "unknown") outcomes.set(key, "fine");
  else if (previous === undefined) outcomes.set(key, { read, missing: outcome, renders: [render] });
  else if (previous.renders.at(-1) !== render) previous.renders.push(render);
}

/** Returns a key that merges a template's reads of one missing name on one value into one problem. */
function nameOf({ read, missing }: MissingRead): string {
  return JSON.stringify([read.file.name, missing.of, missing.step]);
}

function problem(same: readonly MissingRead[]): Diagnostic | undefined {
  const [first, ...others] = same.toSorted((a, b) => order(a.read, b.read));
  if (first === undefined) return undefined;
  const { read, missing, renders } = first;
  const [start, end] = [read.loc.start, read.loc.end];
  const diagnostic = problemAt(read.file, start, sentence(read, missing), hint(read, missing, renders[0]?.data), end);
  const calls = renders
    .slice(0, maxPlaces)
    .map((render) => ({ at: render.dataAt, message: renderedWith(render.data) }));
  const again = others.slice(0, maxPlaces).map((other) => ({ at: spanOf(other.read), message: "and read here" }));
  return { ...diagnostic, related: [...calls, ...again] };
}

function order(a: Read, b: Read): number {
  return a.loc.start.line - b.loc.start.line || a.loc.start.column - b.loc.start.column;
}

function spanOf({ file, loc }: Read): Span {
  return spanAt(file, loc.start, loc.end);
}

function sentence({ source: written }: Read, { of, step, scalar }: Missing): string {
  const what = phrase(of);
  if (step === item)
    return `{{#each ${written}}} has nothing to iterate over: ${what} is a ${scalar ?? "single value"}`;
  return scalar === undefined ? `${what} has no ${step}` : `${what} is a ${scalar} and has no ${step}`;
}

/** Describes steps in words: "the data", "note.author", "an item of notes". */
function phrase(steps: readonly Step[]): string {
  const last = steps.lastIndexOf(item);
  const names = steps.slice(last + 1).join(".");
  if (last === -1) return names === "" ? "the data" : names;
  const owner = last === 0 ? "the data" : phrase(steps.slice(0, last));
  return names === "" ? `an item of ${owner}` : `${names} of an item of ${owner}`;
}

function hint(read: Read, { step, names, scalar }: Missing, data: DataType | undefined): string {
  if (scalar === "Promise") return "await it before rendering";
  if (step === item) return "iterate over a list or an object";
  const level = read.outerContexts.findIndex(
    (value) => value !== undefined && "steps" in value && data !== undefined && has(data, value.steps, step),
  );
  if (level !== -1 && step === read.own[0]) return `did you mean ${"../".repeat(level + 1)}${step}?`;
  const suggestion = nearest(step, names);
  if (suggestion !== undefined) return `did you mean ${suggestion}?`;
  const usage = helperUsage(read.source);
  if (usage !== undefined)
    return `for a problem of a form, ${usage}; for data, add ${step} where the template is rendered`;
  return scalar === undefined
    ? `add ${step} where the template is rendered, or remove it here`
    : `write the ${scalar} itself, without ${step}`;
}

/** The maximum number of names from a call's data to list. */
const maxNames = 8;

function renderedWith(data: DataType): string {
  const variants = data.kind === "union" ? data.members : [data];
  const names = variants.flatMap((variant) => (variant.kind === "object" ? [...variant.properties.keys()] : []));
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return "rendered here without data";
  const list = distinct.slice(0, maxNames).join(", ");
  return `rendered here with ${list}${distinct.length > maxNames ? " and more" : ""}`;
}

/**
 * The result for a read in one context. `elsewhere`: an earlier step is missing, so another read is reported; or that
 * step is only ever undefined or null, so the template must handle it.
 */
type Outcome = "found" | "unknown" | "elsewhere" | Missing;

interface Missing {
  /** The steps to the value that lacks the name. */
  readonly of: readonly Step[];
  readonly step: Step;
  readonly names: readonly string[];
  /** The scalar type of the value; undefined unless all its variants have the same one. */
  readonly scalar: ScalarName | undefined;
}

function judgeRead({ from, own, isIterated: looped }: Read, data: DataType): Outcome {
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
function has(data: DataType, context: readonly Step[], name: string): boolean {
  let variants = variantsOf(data);
  for (const step of [...context, name]) {
    variants = variants.flatMap((variant) => inside(variant, step) ?? []).flatMap(variantsOf);
    if (variants.some(({ kind }) => kind === "unknown")) return step === name;
  }
  return variants.length > 0;
}

/** Returns the variants of a value except undefined and null, which the template is responsible for. */
function variantsOf(type: DataType): readonly DataType[] {
  if (type.kind === "nothing") return [];
  if (type.kind !== "union") return [type];
  return type.members.length === 0 ? [unknownData] : type.members.flatMap(variantsOf);
}

/** Follows one step into a variant; undefined if it has no such member. */
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
