import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";
import { unused } from "./escape.ts";
import { assign, functionValue, openFrame, scopeOf } from "./frame.ts";
import type { Run } from "./run.ts";
import { find, unknown, type Frame, type Value } from "./value.ts";

/** Runs a function for itself: what it does whoever calls it. */
export function standAlone(run: Run, node: FunctionNode, frame: Frame): Frame {
  const inner = openFrame(frame.module, frame.scope, new Map(frame.state));
  runFunction(run, node, inner, []);
  if (node.async || node.generator) lostReturns(run, inner, "is returned as a promise");
  return inner;
}

/** A function as a value: nobody sees who calls it, so it must answer no query. */
export function anonymous(run: Run, node: FunctionNode, frame: Frame): Value {
  const inner = standAlone(run, node, frame);
  lostReturns(run, inner, "is returned from a function without a name");
  return functionValue(node, frame);
}

export function lostReturns(run: Run, { returns, module }: Frame, how: string): void {
  for (const { value, node } of returns) if (value?.kind === "query") run.report.escape({ module, node }, how, value);
}

export function runFunction(run: Run, node: FunctionNode, inner: Frame, given: readonly Value[]): void {
  if (!node.body) return;
  const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
  inner.scope = scopeOf([...own, ...node.params.flatMap(patternNames)], inner.scope, inner.owner);
  for (const [index, parameter] of node.params.entries()) {
    const name = parameterName(parameter);
    const value = given[index] ?? (inner.entered && index >= given.length ? undefined : unknown);
    if (name !== undefined) assign(name, value, inner);
    const variable = name === undefined ? undefined : find(inner.scope, name);
    if (variable) variable.isPlain = isPlain(parameter);
    if (parameter.type === "AssignmentPattern") unused(run, parameter.right, inner, "is a default");
  }
  if (node.body.type === "BlockStatement") run.statement(node.body, inner);
  else inner.returns.push({ value: run.value(node.body, inner), node: node.body });
}

export function parameterName(node: ESTree.ParamPattern): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "AssignmentPattern" && node.left.type === "Identifier" ? node.left.name : undefined;
}

function isPlain(parameter: ESTree.ParamPattern): boolean {
  return parameter.type === "Identifier" && parameter.typeAnnotation?.typeAnnotation.type === "TSTypeLiteral";
}
