import type { ESTree } from "rolldown/utils";
import { statusClasses, type StatusClass } from "../../lib/alert-rule.ts";
import type { DeclaredCondition, Subject } from "../../model/alert.ts";
import type { Span } from "../../model/diagnostic.ts";
import { declarationKinds, kinds, type DeclarationKind, type DeclarationName } from "../../model/kinds.ts";
import { namedDeclaration } from "../resolution/named-declaration.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { keyOf, unwrap } from "../source/expression.ts";
import type { Located, ConfigFault, Reference } from "./declaration-syntax.ts";
import { readObject } from "./object.ts";
import { referenceOf } from "./reference.ts";
import { argumentPlace, isAnything, isText, isUndefined, placeOf, readConstant, type Source } from "./source.ts";

/** The functions of fw that make conditions. */
const measures = ["rate", "ratio", "percentile", "absent"] as const;

/** What stands where a condition has to. */
export type ParsedCondition = Measured | { readonly kind: "none" };

export interface Measured {
  readonly kind: (typeof measures)[number];
  /** Where the function is named. */
  readonly at: Span;
  readonly subject: ParsedSubject;
  /** The second argument, read as each function could take it; absent where none is given. */
  readonly second?: SecondArgument;
  /** Absent where it compares with nothing. */
  readonly comparison?: { readonly by: "above" | "below"; readonly threshold: Located<unknown> };
}

/** What a condition looks at. */
export interface ParsedSubject {
  readonly at: Span;
  readonly reference: Reference;
  /** Absent where it is nothing that can be looked at. */
  readonly kind?: Subject["kind"];
  /** Of a metric, where it is constant. */
  readonly name?: string;
}

export interface SecondArgument {
  readonly at: Span;
  readonly constant: Located<unknown>;
  readonly subject: ParsedSubject;
  readonly labels: readonly ParsedLabel[];
  readonly faults: readonly ConfigFault[];
}

/** A label that a condition asks for. */
export interface ParsedLabel {
  readonly name: string;
  readonly at: Span;
  readonly value: Located<unknown>;
}

/** What declarations of a kind are to a condition; undefined where that is nothing. */
function subjectKindOf(kind: DeclarationKind): Subject["kind"] | undefined {
  if (kind === "api" || kind === "page") return "endpoint";
  return kind === "counter" || kind === "histogram" ? kind : undefined;
}

const subjectFunctions = (Object.keys(kinds) as DeclarationKind[])
  .filter((kind) => subjectKindOf(kind) !== undefined)
  .flatMap((kind): readonly DeclarationName[] => kinds[kind].functions);

/** Reads a condition that is written where it is used: what a constant holds would be evaluated in every service. */
export function readCondition(source: Source, node: ESTree.Node): ParsedCondition {
  const call = unwrap(node);
  if (call.type !== "CallExpression") return { kind: "none" };
  const callee = unwrap(call.callee);
  const by = callee.type === "MemberExpression" ? keyOf(callee) : undefined;
  const inner = callee.type === "MemberExpression" ? unwrap(callee.object) : callee;
  if ((by !== "above" && by !== "below") || inner.type !== "CallExpression") return measured(source, call);
  const found = measured(source, inner);
  if (found.kind === "none") return found;
  const [argument] = call.arguments;
  const at = argumentPlace({ ...source, call }, 0);
  const threshold = argument === undefined ? { at, value: undefined } : readConstant(source, argument, isAnything);
  return { ...found, comparison: { by, threshold } };
}

function measured(source: Source, call: ESTree.CallExpression): ParsedCondition {
  const callee = new ReferenceResolver(source.project).resolve(source.module, call.callee);
  const kind = callee.kind === "fw" ? measures.find((measure) => measure === callee.name) : undefined;
  if (kind === undefined) return { kind: "none" };
  const [first, second] = call.arguments;
  const subject = first === undefined ? unnamed(argumentPlace({ ...source, call }, 0)) : readSubject(source, first);
  const more = second === undefined || isUndefined(second) ? {} : { second: readSecond(source, second) };
  return { kind, at: placeOf(source, call.callee), subject, ...more };
}

function unnamed(at: Span): ParsedSubject {
  return { at, reference: { kind: "none" } };
}

function readSubject(source: Source, node: ESTree.Argument): ParsedSubject {
  const at = placeOf(source, node);
  if (node.type === "SpreadElement") return unnamed(at);
  const { project, module } = source;
  const named = namedDeclaration(project, module, node);
  const reference = referenceOf(named, subjectFunctions, source, node);
  const kind = named.kind === "declared" ? subjectKindOf(declarationKinds[named.name]) : undefined;
  if (named.kind !== "declared" || kind === undefined) return { at, reference };
  if (kind === "endpoint") return { at, reference, kind };
  const [text] = named.call.arguments;
  const name = text && readConstant({ project, module: named.module }, text, isText).value;
  return { at, reference, kind, ...(name !== undefined && { name }) };
}

function readSecond(source: Source, node: ESTree.Argument): SecondArgument {
  const { fields, faults } = readObject(source, node);
  const labels = [...fields.values()].flatMap(({ name, at, value }): readonly ParsedLabel[] => {
    if (value !== undefined && isUndefined(value)) return [];
    return [{ name, at, value: value ? readConstant(source, value, isAnything) : { at, value: undefined } }];
  });
  return {
    at: placeOf(source, node),
    constant: readConstant(source, node, isAnything),
    subject: readSubject(source, node),
    labels,
    faults,
  };
}

export function isStatusClass(value: unknown): value is StatusClass {
  return (statusClasses as readonly unknown[]).includes(value);
}

/** A condition in the model; undefined where it is not whole, which a rule has told. */
export function conditionModel(parsed: ParsedCondition): DeclaredCondition | undefined {
  if (parsed.kind === "none") return undefined;
  const { kind, subject, second, comparison } = parsed;
  const of = subjectModel(subject);
  const found = second?.labels.find(({ name }) => name === "status")?.value.value;
  const labels = isStatusClass(found) ? { status: found } : {};
  if (of === undefined) return undefined;
  if (kind === "absent") return { kind, of, ...labels };
  const value = comparison?.threshold.value;
  if (comparison === undefined || typeof value !== "number") return undefined;
  const threshold = { comparison: comparison.by, threshold: value };
  if (kind === "rate") return { kind, of, ...labels, ...threshold };
  const constant = second?.constant.value;
  if (kind === "percentile")
    return typeof constant === "number" ? { kind, of, quantile: constant, ...threshold } : undefined;
  if (of.kind === "endpoint") return isStatusClass(constant) ? { kind, of, status: constant, ...threshold } : undefined;
  const to = second && subjectModel(second.subject);
  return to && { kind, of, to, ...threshold };
}

function subjectModel({ reference, kind, name }: ParsedSubject): Subject | undefined {
  if (reference.kind !== "declared" || kind === undefined) return undefined;
  if (kind === "endpoint") return { kind, module: reference.module, variable: reference.variable };
  return name === undefined ? undefined : { kind, name };
}
