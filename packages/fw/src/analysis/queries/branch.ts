import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { unwrap } from "../source/expression.ts";
import { unused } from "./escape.ts";
import { inScope, namesOf } from "./frame.ts";
import type { Run } from "./run.ts";
import { join, joinStates, type Frame, type Value } from "./value.ts";

export function runIf(run: Run, node: ESTree.IfStatement, frame: Frame): boolean {
  unused(run, node.test, frame, "is used as a condition");
  const before = frame.state;
  frame.state = new Map(before);
  const first = run.statement(node.consequent, frame);
  const then = frame.state;
  frame.state = new Map(before);
  const second = node.alternate ? run.statement(node.alternate, frame) : true;
  if (first && second) frame.state = joinStates(frame.state, then);
  else if (first) frame.state = then;
  return first || second;
}

export function runSwitch(run: Run, node: ESTree.SwitchStatement, frame: Frame): boolean {
  unused(run, node.discriminant, frame, "is used as a condition");
  const names = node.cases.flatMap((each) => each.consequent.flatMap(namesOf));
  return inScope(frame, names, () => {
    const before = frame.state;
    const exits = frame.exits.length;
    let goesOn = false;
    for (const each of node.cases) {
      frame.state = goesOn ? joinStates(before, frame.state) : new Map(before);
      goesOn = each.consequent.every((statement) => run.statement(statement, frame));
    }
    const ends = frame.exits.splice(exits);
    if (goesOn) ends.push(frame.state);
    if (!node.cases.some(({ test }) => test === null)) ends.push(before);
    if (ends.length === 0) return false;
    frame.state = ends.reduce(joinStates);
    return true;
  });
}

export function runTry(run: Run, node: ESTree.TryStatement, frame: Frame): boolean {
  const before = new Map(frame.state);
  const tried = run.statement(node.block, frame);
  const after = frame.state;
  let goesOn = tried;
  if (node.handler) {
    frame.state = joinStates(before, after);
    const names = node.handler.param ? patternNames(node.handler.param) : [];
    const { body } = node.handler;
    const caught = inScope(frame, names, () => run.statement(body, frame));
    if (tried && caught) frame.state = joinStates(after, frame.state);
    else if (tried) frame.state = after;
    goesOn = tried || caught;
  }
  return node.finalizer ? run.statement(node.finalizer, frame) && goesOn : goesOn;
}

/** Of `test ? one : other`, either. */
export function choice(run: Run, node: ESTree.ConditionalExpression, frame: Frame): Value {
  unused(run, node.test, frame, "is used as a condition");
  const before = frame.state;
  frame.state = new Map(before);
  const one = run.value(node.consequent, frame);
  const then = frame.state;
  frame.state = new Map(before);
  const other = run.value(node.alternate, frame);
  frame.state = joinStates(frame.state, then);
  return oneOf(one, node.consequent, other, node.alternate);
}

/** Of `left || right`, `left && right` and `left ?? right`, either. */
export function either(run: Run, { left, operator, right }: ESTree.LogicalExpression, frame: Frame): Value {
  const one = run.value(left, frame);
  const before = new Map(frame.state);
  const other = run.value(right, frame);
  frame.state = joinStates(before, frame.state);
  return operator === "&&" ? join(one, other) : oneOf(one, left, other, right);
}

/** Where one side is an entity, and of the other nothing is known, it may be any. */
function oneOf(one: Value, first: ESTree.Node, other: Value, second: ESTree.Node): Value {
  const joined = join(one, other);
  if (joined?.kind !== "entity" || (one && other) || isNothing(one ? second : first)) return joined;
  return { ...joined, open: true };
}

export function isNothing(node: ESTree.Node): boolean {
  const bare = unwrap(node);
  return (bare.type === "Literal" && bare.value === null) || (bare.type === "Identifier" && bare.name === "undefined");
}
