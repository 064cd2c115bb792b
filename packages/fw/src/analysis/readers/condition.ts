import type { ESTree } from "rolldown/utils";
import { statusClasses, type StatusClass, type Threshold } from "../../lib/alert-rule.ts";
import type { DeclaredCondition, Subject } from "../../model/alert.ts";
import type { Span } from "../../model/diagnostic.ts";
import { declarationKinds, kinds, type DeclarationKind, type DeclarationName } from "../../model/kinds.ts";
import { namedDeclaration } from "../resolution/named-declaration.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { keyOf, unwrap } from "../source/expression.ts";
import type { Located, ConfigFault, DeclarationReference } from "./declaration-syntax.ts";
import { readObject } from "./object.ts";
import { referenceOf } from "./reference.ts";
import { argumentPlace, isAnything, isText, isUndefined, spanIn, readConstant, type Source } from "./source.ts";

/** The functions of fw that create conditions. */
const measures = ["rate", "ratio", "percentile", "absent"] as const;

/** A condition, or `none` for any other expression. */
export type ParsedCondition = ParsedMeasure | { readonly kind: "none" };

export interface ParsedMeasure {
  readonly kind: (typeof measures)[number];
  /** The location of the function's name. */
  readonly at: Span;
  readonly subject: ParsedSubject;
  /** The second argument, in every form that a function accepts; absent if not passed. */
  readonly second?: SecondArgument;
  /** Absent if the condition has no comparison. */
  readonly comparison?: ParsedComparison;
}

interface ParsedComparison {
  readonly by: "above" | "below";
  readonly threshold: Located<unknown>;
  /** The source text of a threshold such as `5 * 60`, which consists of numbers and operators. */
  readonly thresholdText?: string;
}

/** The metric, endpoint or other declaration that a condition measures. */
export interface ParsedSubject {
  readonly at: Span;
  readonly reference: DeclarationReference;
  /** Absent if a condition cannot measure it. */
  readonly kind?: Subject["kind"];
  /** The name of a metric, if it is constant. */
  readonly name?: string;
}

export interface SecondArgument {
  readonly at: Span;
  readonly constant: Located<unknown>;
  readonly subject: ParsedSubject;
  readonly labels: readonly ParsedLabel[];
  readonly faults: readonly ConfigFault[];
}

export interface ParsedLabel {
  readonly name: string;
  readonly at: Span;
  readonly value: Located<unknown>;
}

/** Returns the kind of subject for a kind of declaration; undefined if conditions cannot measure it. */
function subjectKindOf(kind: DeclarationKind): Subject["kind"] | undefined {
  if (kind === "api" || kind === "page") return "endpoint";
  return kind === "counter" || kind === "histogram" ? kind : undefined;
}

const subjectFunctions = (Object.keys(kinds) as DeclarationKind[])
  .filter((kind) => subjectKindOf(kind) !== undefined)
  .flatMap((kind): readonly DeclarationName[] => kinds[kind].functions);

/** Reads a condition, which must be inside the Alert's call: otherwise every service would evaluate it. */
export function readCondition(source: Source, node: ESTree.Node): ParsedCondition {
  const call = unwrap(node);
  if (call.type !== "CallExpression") return { kind: "none" };
  const comparison = comparisonIn(call);
  if (comparison === undefined) return readMeasure(source, call);
  const measure = readMeasure(source, comparison.of);
  if (measure.kind === "none") return measure;
  return { ...measure, comparison: { by: comparison.by, ...readThreshold(source, call) } };
}

/** Returns the comparison of a call, such as `rate(…).above(3)`; undefined for a call without one. */
function comparisonIn(
  call: ESTree.CallExpression,
): { readonly by: "above" | "below"; readonly of: ESTree.CallExpression } | undefined {
  const callee = unwrap(call.callee);
  if (callee.type !== "MemberExpression") return undefined;
  const [by, of] = [keyOf(callee), unwrap(callee.object)];
  return (by === "above" || by === "below") && of.type === "CallExpression" ? { by, of } : undefined;
}

function readThreshold(source: Source, call: ESTree.CallExpression): Omit<ParsedComparison, "by"> {
  const [argument] = call.arguments;
  if (argument === undefined) return { threshold: { at: argumentPlace({ ...source, call }, 0), value: undefined } };
  const threshold = readConstant(source, argument, isAnything);
  const { start, end } = unwrap(argument);
  const thresholdText = source.module.text.slice(start, end).replaceAll(/\s+/g, " ");
  const isReadable = isArithmetic.test(thresholdText) && thresholdText !== String(threshold.value);
  return isReadable ? { threshold, thresholdText } : { threshold };
}

/** Matches numbers and operators, but no names, which mean nothing outside their file. */
const isArithmetic = /^[\d\s._+\-*/%()]*(?:e[+-]?\d+)?$/i;

function readMeasure(source: Source, call: ESTree.CallExpression): ParsedCondition {
  const callee = new ReferenceResolver(source.project).resolve(source.module, call.callee);
  const kind = callee.kind === "fw" ? measures.find((measure) => measure === callee.name) : undefined;
  if (kind === undefined) return { kind: "none" };
  const [first, second] = call.arguments;
  const subject = first === undefined ? unnamed(argumentPlace({ ...source, call }, 0)) : readSubject(source, first);
  const more = second === undefined || isUndefined(second) ? {} : { second: readSecond(source, second) };
  return { kind, at: spanIn(source, call.callee), subject, ...more };
}

function unnamed(at: Span): ParsedSubject {
  return { at, reference: { kind: "none" } };
}

function readSubject(source: Source, node: ESTree.Argument): ParsedSubject {
  const at = spanIn(source, node);
  if (node.type === "SpreadElement") return unnamed(at);
  const { project, module } = source;
  const target = namedDeclaration(project, module, node);
  const reference = referenceOf(target, subjectFunctions, source, node);
  const kind = target.kind === "declared" ? subjectKindOf(declarationKinds[target.name]) : undefined;
  if (target.kind !== "declared" || kind === undefined) return { at, reference };
  if (kind === "endpoint") return { at, reference, kind };
  const [text] = target.call.arguments;
  const name = text && readConstant({ project, module: target.module }, text, isText).value;
  return { at, reference, kind, ...(name !== undefined && { name }) };
}

function readSecond(source: Source, node: ESTree.Argument): SecondArgument {
  const { fields, faults } = readObject(source, node);
  const labels = [...fields.values()].flatMap(({ name, at, value }): readonly ParsedLabel[] => {
    if (value !== undefined && isUndefined(value)) return [];
    return [{ name, at, value: value ? readConstant(source, value, isAnything) : { at, value: undefined } }];
  });
  return {
    at: spanIn(source, node),
    constant: readConstant(source, node, isAnything),
    subject: readSubject(source, node),
    labels,
    faults,
  };
}

export function isStatusClass(value: unknown): value is StatusClass {
  return (statusClasses as readonly unknown[]).includes(value);
}

/** Converts a condition to the model; undefined if it is incomplete, which a rule reports. */
export function conditionModel(parsed: ParsedCondition): DeclaredCondition | undefined {
  if (parsed.kind === "none") return undefined;
  const { kind, subject, second, comparison } = parsed;
  const of = subjectModel(subject);
  const labels = statusLabel(second);
  if (of === undefined) return undefined;
  if (kind === "absent") return { kind, of, ...labels };
  const threshold = comparison && thresholdModel(comparison);
  if (threshold === undefined) return undefined;
  if (kind === "rate") return { kind, of, ...labels, ...threshold };
  const constant = second?.constant.value;
  if (kind === "percentile")
    return typeof constant === "number" ? { kind, of, quantile: constant, ...threshold } : undefined;
  if (of.kind === "endpoint") return isStatusClass(constant) ? { kind, of, status: constant, ...threshold } : undefined;
  const to = second && subjectModel(second.subject);
  return to && { kind, of, to, ...threshold };
}

/** Converts a comparison to the model; undefined if its threshold is not a number, which a rule reports. */
function thresholdModel({ by, threshold, thresholdText }: ParsedComparison): Threshold | undefined {
  const { value } = threshold;
  if (typeof value !== "number") return undefined;
  return { comparison: by, threshold: value, ...(thresholdText !== undefined && { thresholdText }) };
}

function statusLabel(second: SecondArgument | undefined): { readonly status?: StatusClass } {
  const status = second?.labels.find(({ name }) => name === "status")?.value.value;
  return isStatusClass(status) ? { status } : {};
}

function subjectModel({ reference, kind, name }: ParsedSubject): Subject | undefined {
  if (reference.kind !== "declared" || kind === undefined) return undefined;
  if (kind === "endpoint") return { kind, module: reference.module, variable: reference.variable };
  return name === undefined ? undefined : { kind, name };
}
