import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";

import { unknown, type Value } from "./value.ts";
import { Frame } from "./frame.ts";

/** Runs a function for itself: what it does whoever calls it. */
export function standAlone(node: FunctionNode, frame: Frame): Frame {
  const { module, scope, state } = frame;
  const inner = new Frame(frame.run, { module, scope, state: new Map(state) });
  runFunction(node, inner, []);
  if (node.async || node.generator) lostReturns(inner, "is returned as a promise");
  return inner;
}

/** A function as a value: nobody sees who calls it, so it must answer no query. */
export function anonymous(node: FunctionNode, frame: Frame): Value {
  const inner = standAlone(node, frame);
  lostReturns(inner, "is returned from a function without a name");
  return frame.functionValue(node);
}

export function lostReturns(frame: Frame, how: string): void {
  for (const { value, node } of frame.returns) frame.lost(value, node, how);
}

export function runFunction(node: FunctionNode, inner: Frame, given: readonly Value[]): void {
  if (!node.body) return;
  const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
  inner.declare([...own, ...node.params.flatMap(patternNames)]);
  for (const [index, parameter] of node.params.entries()) {
    const name = parameterName(parameter);
    const value = given[index] ?? (inner.entered && index >= given.length ? undefined : unknown);
    if (name !== undefined) inner.assign(name, value);
    const variable = name === undefined ? undefined : inner.find(name);
    if (variable) variable.isPlain = isPlain(parameter);
    if (parameter.type === "AssignmentPattern") inner.unused(parameter.right, "is a default");
  }
  if (node.body.type === "BlockStatement") inner.statement(node.body);
  else inner.returns.push({ value: inner.value(node.body), node: node.body });
}

export function parameterName(node: ESTree.ParamPattern): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "AssignmentPattern" && node.left.type === "Identifier" ? node.left.name : undefined;
}

function isPlain(parameter: ESTree.ParamPattern): boolean {
  return parameter.type === "Identifier" && parameter.typeAnnotation?.typeAnnotation.type === "TSTypeLiteral";
}
