import type { ESTree } from "rolldown/utils";
import { unwrap, type FunctionNode } from "../source/expression.ts";

import { lostReturns, parameterName, runFunction } from "./function.ts";
import { join, type FunctionValue, type Value } from "./value.ts";
import { Frame } from "./frame.ts";

/** Functions that call functions. */
const deepest = 24;

/** An argument of a call. */
interface Given {
  readonly value: Value;
  readonly node: ESTree.Node;
}

/** The function's result when it is called with these arguments; a query may go in and out. */
export function enter(target: Value, node: ESTree.CallExpression, frame: Frame): Value {
  const given = node.arguments.map((argument): Given => {
    if (argument.type !== "SpreadElement") return { value: frame.value(argument), node: argument };
    return (frame.unused(argument.argument, "is put into a list"), { value: undefined, node: argument });
  });
  if (target?.kind === "function" && !node.arguments.some(({ type }) => type === "SpreadElement")) {
    const result = resultOf(target, given, frame);
    if (result !== "lost") return result;
  }
  for (const { value, node: at } of given) {
    frame.lost(value, at, "is passed where it cannot be followed");
    if (value?.kind === "function" && unwrap(at).type === "Identifier") handedOn(value, at, frame);
  }
  return undefined;
}

/** A function that answers a query is handed on: nobody sees who calls it. */
function handedOn(target: FunctionValue, at: ESTree.Node, frame: Frame): void {
  const result = resultOf(target, [], frame);
  if (result !== "lost") frame.lost(result, at, "is what this function answers, which is passed on");
}

/** What a function answers; lost where it calls itself, or functions call each other too deep. */
function resultOf(target: FunctionValue, given: readonly Given[], frame: Frame): Value | "lost" {
  const { node } = target;
  const plain = target.scope === undefined && given.every(({ value }) => value === undefined);
  if (plain && frame.run.results.has(node)) return frame.run.results.get(node);
  if (frame.run.calling.includes(node) || frame.run.calling.length >= deepest || !node.body) return "lost";
  frame.run.calling.push(node);
  const answer = answerOf(target, given, frame);
  frame.run.calling.pop();
  if (plain) frame.run.results.set(node, answer);
  return answer;
}

function answerOf({ module, scope, node }: FunctionValue, given: readonly Given[], frame: Frame): Value {
  const inner = new Frame(frame.run, { module, scope, state: new Map(scope && frame.state), entered: true });
  loseUnnamed(node, given, frame);
  const values = given.map(({ value }) => value);
  runFunction(node, inner, values);
  const result = inner.returns.map(({ value }) => value).reduce<Value>(join, undefined);
  const answer = node.async || node.generator ? undefined : result;
  if (answer === undefined) lostReturns(inner, "is returned as a promise");
  return answer;
}

/** A query that goes into a function has to have one name there. */
function loseUnnamed({ params }: FunctionNode, given: readonly Given[], frame: Frame): void {
  for (const [index, { value, node }] of given.entries()) {
    const parameter = params[index];
    if (value?.kind === "query" && (!parameter || !parameterName(parameter)))
      frame.lost(value, node, "is passed where it cannot be followed");
  }
}
