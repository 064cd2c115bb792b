import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";

import { unknown, type Value } from "./value.ts";
import { Frame } from "./frame.ts";

/** Runs a function with unknown callers. */
export function runStandalone(node: FunctionNode, frame: Frame): Frame {
  const { module, scope, state } = frame;
  const inner = new Frame(frame.run, { module, scope, state: new Map(state), self: frame.selfIn(node) });
  runFunction(node, inner, []);
  if (node.async || node.generator) reportReturns(inner, "is returned as a promise");
  return inner;
}

/** Runs a function used as a value. Its callers are unknown, so it must not return a query. */
export function functionExpressionValue(node: FunctionNode, frame: Frame): Value {
  const inner = runStandalone(node, frame);
  reportReturns(inner, "is returned from a function expression");
  return frame.functionValue(node);
}

export function reportReturns(frame: Frame, how: string): void {
  for (const { value, node } of frame.returns) frame.reportEscape(value, node, how);
}

export function runFunction(node: FunctionNode, inner: Frame, values: readonly Value[]): void {
  if (!node.body) return;
  const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
  inner.declare([...own, ...node.params.flatMap(patternNames)]);
  for (const [index, parameter] of node.params.entries()) {
    const name = parameterName(parameter);
    const value = values[index] ?? (inner.isCalled && index >= values.length ? undefined : unknown);
    if (name !== undefined) inner.assign(name, value);
    const variable = name === undefined ? undefined : inner.find(name);
    if (variable) variable.isPlain = isPlain(parameter);
    if (parameter.type === "AssignmentPattern") inner.unused(parameter.right, "is a default value");
  }
  if (node.body.type === "BlockStatement") inner.statement(node.body);
  else inner.returns.push({ value: inner.value(node.body), node: node.body });
}

export function parameterName(node: ESTree.ParamPattern): string | undefined {
  if (node.type === "TSParameterProperty") return parameterName(node.parameter);
  if (node.type === "Identifier") return node.name;
  return node.type === "AssignmentPattern" && node.left.type === "Identifier" ? node.left.name : undefined;
}

function isPlain(parameter: ESTree.ParamPattern): boolean {
  return parameter.type === "Identifier" && parameter.typeAnnotation?.typeAnnotation.type === "TSTypeLiteral";
}
