import type { ESTree } from "rolldown/utils";
import { unwrap, type FunctionNode } from "../source/expression.ts";

import { reportReturns, parameterName, runFunction } from "./function.ts";
import { join, type FunctionValue, type Value } from "./value.ts";
import { Frame } from "./frame.ts";

const maxCallDepth = 24;

interface CallArgument {
  readonly value: Value;
  readonly node: ESTree.Node;
}

/**
 * Runs a function with the arguments of a call and returns its result. The arguments and the result may be queries.
 * Reports query arguments of a function that fw cannot follow, and returns undefined.
 */
export function callFunction(target: Value, node: ESTree.CallExpression, frame: Frame): Value {
  const callArguments = node.arguments.map((argument): CallArgument => {
    if (argument.type !== "SpreadElement") return { value: frame.value(argument), node: argument };
    return (frame.unused(argument.argument, "is spread into a call"), { value: undefined, node: argument });
  });
  if (target?.kind === "function" && !node.arguments.some(({ type }) => type === "SpreadElement")) {
    const result = resultOf(target, callArguments, frame);
    if (result !== "lost") return result;
  }
  for (const { value, node: at } of callArguments) {
    frame.reportEscape(value, at, "is passed where fw cannot follow it");
    if (value?.kind === "function" && unwrap(at).type === "Identifier") passFunction(value, at, frame);
  }
  return undefined;
}

/** Reports a function that returns a query and is used as a value, because its callers are unknown. */
function passFunction(target: FunctionValue, at: ESTree.Node, frame: Frame): void {
  const result = resultOf(target, [], frame);
  if (result !== "lost") frame.reportEscape(result, at, "is returned by this function, which is passed on");
}

/** Returns the result of a function; `lost` for recursion, too deeply nested calls and functions without a body. */
function resultOf(target: FunctionValue, callArguments: readonly CallArgument[], frame: Frame): Value | "lost" {
  const { node } = target;
  const plain =
    target.scope === undefined && target.self === undefined && callArguments.every(({ value }) => value === undefined);
  if (plain && frame.run.results.has(node)) return frame.run.results.get(node);
  if (frame.run.callStack.includes(node) || frame.run.callStack.length >= maxCallDepth || !node.body) return "lost";
  frame.run.callStack.push(node);
  const answer = answerOf(target, callArguments, frame);
  frame.run.callStack.pop();
  if (plain) frame.run.results.set(node, answer);
  return answer;
}

function answerOf(target: FunctionValue, callArguments: readonly CallArgument[], frame: Frame): Value {
  const { module, scope, node, self } = target;
  const inner = new Frame(frame.run, { module, scope, state: new Map(scope && frame.state), isCalled: true, self });
  checkParameterNames(node, callArguments, frame);
  const values = callArguments.map(({ value }) => value);
  runFunction(node, inner, values);
  const result = inner.returns.map(({ value }) => value).reduce<Value>(join, undefined);
  const answer = node.async || node.generator ? undefined : result;
  if (answer === undefined) reportReturns(inner, "is returned as a promise");
  return answer;
}

/** Reports queries passed to a missing or destructured parameter, which fw cannot follow. */
function checkParameterNames({ params }: FunctionNode, callArguments: readonly CallArgument[], frame: Frame): void {
  for (const [index, { value, node }] of callArguments.entries()) {
    const parameter = params[index];
    if (value?.kind === "query" && (!parameter || !parameterName(parameter)))
      frame.reportEscape(value, node, "is passed where fw cannot follow it");
  }
}
