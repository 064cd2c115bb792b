import type { ESTree } from "rolldown/utils";
import { unwrap, type FunctionNode } from "../source/expression.ts";
import { lost, unused } from "./escape.ts";
import { openFrame } from "./frame.ts";
import { lostReturns, parameterName, runFunction } from "./function.ts";
import type { Run } from "./run.ts";
import { join, type Frame, type FunctionValue, type Value } from "./value.ts";

/** Functions that call functions. */
const deepest = 24;

/** An argument of a call. */
interface Given {
  readonly value: Value;
  readonly node: ESTree.Node;
}

/** The function's result when it is called with these arguments; a query may go in and out. */
export function enter(run: Run, target: Value, node: ESTree.CallExpression, frame: Frame): Value {
  const given = node.arguments.map((each): Given => {
    if (each.type !== "SpreadElement") return { value: run.value(each, frame), node: each };
    return (unused(run, each.argument, frame, "is put into a list"), { value: undefined, node: each });
  });
  if (target?.kind === "function" && !node.arguments.some(({ type }) => type === "SpreadElement")) {
    const result = resultOf(run, target, given, frame);
    if (result !== "lost") return result;
  }
  for (const { value, node: at } of given) {
    lost(run, value, at, frame, "is passed where it cannot be followed");
    if (value?.kind === "function" && unwrap(at).type === "Identifier") handedOn(run, value, at, frame);
  }
  return undefined;
}

/** A function that answers a query is handed on: nobody sees who calls it. */
function handedOn(run: Run, target: FunctionValue, at: ESTree.Node, frame: Frame): void {
  const result = resultOf(run, target, [], frame);
  if (result !== "lost") lost(run, result, at, frame, "is what this function answers, which is passed on");
}

/** What a function answers; lost where it calls itself, or functions call each other too deep. */
function resultOf(run: Run, target: FunctionValue, given: readonly Given[], frame: Frame): Value | "lost" {
  const { node } = target;
  const plain = target.scope === undefined && given.every(({ value }) => value === undefined);
  if (plain && run.results.has(node)) return run.results.get(node);
  if (run.calling.includes(node) || run.calling.length >= deepest || !node.body) return "lost";
  run.calling.push(node);
  const answer = answerOf(run, target, given, frame);
  run.calling.pop();
  if (plain) run.results.set(node, answer);
  return answer;
}

function answerOf(run: Run, { module, scope, node }: FunctionValue, given: readonly Given[], frame: Frame): Value {
  const inner = openFrame(module, scope, scope === undefined ? new Map() : new Map(frame.state), true);
  loseUnnamed(run, node, given, frame);
  const values = given.map(({ value }) => value);
  runFunction(run, node, inner, values);
  const result = inner.returns.map(({ value }) => value).reduce<Value>(join, undefined);
  const answer = node.async || node.generator ? undefined : result;
  if (answer === undefined) lostReturns(run, inner, "is returned as a promise");
  return answer;
}

/** A query that goes into a function has to have one name there. */
function loseUnnamed(run: Run, { params }: FunctionNode, given: readonly Given[], frame: Frame): void {
  for (const [index, { value, node }] of given.entries()) {
    const parameter = params[index];
    if (value?.kind === "query" && (!parameter || !parameterName(parameter)))
      lost(run, value, node, frame, "is passed where it cannot be followed");
  }
}
