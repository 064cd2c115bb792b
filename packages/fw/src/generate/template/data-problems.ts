import { nearest } from "../../lib/suggest.ts";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { item, type DataType, type Render, type Step } from "../../model/render.ts";
import { has, judgeRead, type Missing } from "./judge-read.ts";
import { problemAt } from "./problem.ts";
import type { Read } from "./reads.ts";

/** A call with what its templates read. */
export interface RenderReads {
  readonly render: Render;
  readonly reads: readonly Read[];
}

interface Found {
  readonly read: Read;
  readonly missing: Missing;
  /** The calls that lack it, in order. */
  readonly renders: Render[];
}

/** Places that are pointed at besides the first. */
const mostPlaces = 3;

/**
 * Names that templates read and that no call gives them. What one call leaves out and another gives is for the template
 * to allow for, and what is unknown in one context is not judged in any.
 */
export function dataProblems(calls: readonly RenderReads[]): readonly Diagnostic[] {
  const found = new Map<string, Found | "fine">();
  for (const { render, reads } of calls) for (const read of reads) judge(found, render, read);
  const wrong = new Map<string, Found[]>();
  for (const read of found.values())
    if (read !== "fine") wrong.set(nameOf(read), [...(wrong.get(nameOf(read)) ?? []), read]);
  return [...wrong.values()].flatMap((same) => problem(same) ?? []);
}

function judge(found: Map<string, Found | "fine">, render: Render, read: Read): void {
  const { file, loc } = read;
  const key = `${file.name} ${loc.start.line}:${loc.start.column} ${loc.end.line}:${loc.end.column}`;
  const known = found.get(key);
  if (known === "fine") return;
  const outcome = judgeRead(read, render.data);
  if (outcome === "elsewhere") return;
  if (outcome === "found" || outcome === "unknown") found.set(key, "fine");
  else if (known === undefined) found.set(key, { read, missing: outcome, renders: [render] });
  else if (known.renders.at(-1) !== render) known.renders.push(render);
}

/** The same name missing of the same value is one mistake, however often a file reads it. */
function nameOf({ read, missing }: Found): string {
  return JSON.stringify([read.file.name, missing.of, missing.step]);
}

function problem(same: readonly Found[]): Diagnostic | undefined {
  const [first, ...others] = same.toSorted((a, b) => order(a.read, b.read));
  if (first === undefined) return undefined;
  const { read, missing, renders } = first;
  const [start, end] = [read.loc.start, read.loc.end];
  const found = problemAt(read.file, start, sentence(read, missing), hint(read, missing, renders[0]?.data), end);
  const calls = renders.slice(0, mostPlaces).map((render) => ({ at: render.dataAt, message: given(render.data) }));
  const again = others.slice(0, mostPlaces).map((other) => ({ at: spanOf(other.read), message: "and read here" }));
  return { ...found, related: [...calls, ...again] };
}

function order(a: Read, b: Read): number {
  return a.loc.start.line - b.loc.start.line || a.loc.start.column - b.loc.start.column;
}

function spanOf({ file, loc }: Read): Span {
  return problemAt(file, loc.start, "", undefined, loc.end).at;
}

function sentence({ written }: Read, { of, step, scalar }: Missing): string {
  const what = phrase(of);
  if (step === item) return `{{#each ${written}}} goes through nothing: ${what} is a ${scalar ?? "single value"}`;
  return scalar === undefined ? `${what} has no ${step}` : `${what} is a ${scalar} and has no ${step}`;
}

/** Steps as a person says them: "the data", "note.author", "an item of notes". */
function phrase(steps: readonly Step[]): string {
  const last = steps.lastIndexOf(item);
  const names = steps.slice(last + 1).join(".");
  if (last === -1) return names === "" ? "the data" : names;
  const owner = last === 0 ? "the data" : phrase(steps.slice(0, last));
  return names === "" ? `an item of ${owner}` : `${names} of an item of ${owner}`;
}

function hint(read: Read, { step, names, scalar }: Missing, data: DataType | undefined): string | undefined {
  if (scalar === "Promise") return "await it before it is rendered";
  if (step === item || data === undefined) return undefined;
  const around = read.around.findIndex(
    (value) => value !== undefined && "steps" in value && has(data, value.steps, step),
  );
  if (around !== -1 && step === read.own[0]) return `did you mean ${"../".repeat(around + 1)}${step}?`;
  const meant = nearest(step, names);
  return meant === undefined ? undefined : `did you mean ${meant}?`;
}

/** Names of a call's data that are listed. */
const mostNames = 8;

function given(data: DataType): string {
  const variants = data.kind === "union" ? data.members : [data];
  const names = variants.flatMap((variant) => (variant.kind === "object" ? [...variant.properties.keys()] : []));
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return "rendered here without data";
  const shown = distinct.slice(0, mostNames).join(", ");
  return `rendered here with ${shown}${distinct.length > mostNames ? " and more" : ""}`;
}
