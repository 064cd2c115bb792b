import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { unwrap } from "../source/expression.ts";

import { join, joinStates, type Value } from "./value.ts";
import { namesOf, type Frame } from "./frame.ts";

export function runIf(node: ESTree.IfStatement, frame: Frame): boolean {
  frame.unused(node.test, "is used as a condition");
  const before = frame.state;
  frame.state = new Map(before);
  const first = frame.statement(node.consequent);
  const then = frame.state;
  frame.state = new Map(before);
  const second = node.alternate ? frame.statement(node.alternate) : true;
  if (first && second) frame.state = joinStates(frame.state, then);
  else if (first) frame.state = then;
  return first || second;
}

export function runSwitch(node: ESTree.SwitchStatement, frame: Frame): boolean {
  frame.unused(node.discriminant, "is used as a condition");
  const names = node.cases.flatMap((branch) => branch.consequent.flatMap(namesOf));
  return frame.inScope(names, () => {
    const before = frame.state;
    const exits = frame.exits.length;
    let continues = false;
    for (const branch of node.cases) {
      frame.state = continues ? joinStates(before, frame.state) : new Map(before);
      continues = branch.consequent.every((statement) => frame.statement(statement));
    }
    const ends = frame.exits.splice(exits);
    if (continues) ends.push(frame.state);
    if (!node.cases.some(({ test }) => test === null)) ends.push(before);
    if (ends.length === 0) return false;
    frame.state = ends.reduce(joinStates);
    return true;
  });
}

export function runTry(node: ESTree.TryStatement, frame: Frame): boolean {
  const before = new Map(frame.state);
  const blockContinues = frame.statement(node.block);
  const after = frame.state;
  let continues = blockContinues;
  if (node.handler) {
    frame.state = joinStates(before, after);
    const names = node.handler.param ? patternNames(node.handler.param) : [];
    const { body } = node.handler;
    const handlerContinues = frame.inScope(names, () => frame.statement(body));
    if (blockContinues && handlerContinues) frame.state = joinStates(after, frame.state);
    else if (blockContinues) frame.state = after;
    continues = blockContinues || handlerContinues;
  }
  return node.finalizer ? frame.statement(node.finalizer) && continues : continues;
}

/** Joins both branches of `test ? one : other`. */
export function conditionalValue(node: ESTree.ConditionalExpression, frame: Frame): Value {
  frame.unused(node.test, "is used as a condition");
  const before = frame.state;
  frame.state = new Map(before);
  const one = frame.value(node.consequent);
  const then = frame.state;
  frame.state = new Map(before);
  const other = frame.value(node.alternate);
  frame.state = joinStates(frame.state, then);
  return oneOf(one, node.consequent, other, node.alternate);
}

/** Joins both sides of `left || right`, `left && right` and `left ?? right`. */
export function logicalValue({ left, operator, right }: ESTree.LogicalExpression, frame: Frame): Value {
  const one = frame.value(left);
  const before = new Map(frame.state);
  const other = frame.value(right);
  frame.state = joinStates(before, frame.state);
  return operator === "&&" ? join(one, other) : oneOf(one, left, other, right);
}

/** Joins two values. If one is an entity and the other unknown, the result may be any entity. */
function oneOf(one: Value, first: ESTree.Node, other: Value, second: ESTree.Node): Value {
  const joined = join(one, other);
  if (joined?.kind !== "entity" || (one && other) || isNothing(one ? second : first)) return joined;
  return { ...joined, open: true };
}

export function isNothing(node: ESTree.Node): boolean {
  const bare = unwrap(node);
  return (bare.type === "Literal" && bare.value === null) || (bare.type === "Identifier" && bare.name === "undefined");
}
