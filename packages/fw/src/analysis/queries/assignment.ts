import type { ESTree } from "rolldown/utils";
import { isNothing } from "./branch.ts";
import { entityEscapes, lost, parts } from "./escape.ts";
import type { Run } from "./run.ts";
import { find, heldIn, join, unknown, type Frame, type Value } from "./value.ts";

export function assignment(run: Run, node: ESTree.AssignmentExpression, frame: Frame): Value {
  const right = run.value(node.right, frame);
  const { left } = node;
  if (left.type !== "Identifier") {
    parts(run, left, frame, "is taken apart");
    for (const name of assignedNames(left)) assigned(run, name, node, frame);
    return (lost(run, right, node, frame, "is stored where it cannot be followed"), undefined);
  }
  const variable = find(frame.scope, left.name);
  const value = node.operator === "=" || !variable ? right : join(heldIn(frame.state, variable), right);
  if (!variable) lost(run, value, node, frame, "is held in a variable of the module that can change");
  else if (variable.owner !== frame.owner)
    changed(run, join(value, heldIn(frame.state, variable)), node, frame, "is changed inside another function");
  else {
    if (variable.captured) changed(run, value, node, frame, "is changed after a function has taken hold of it");
    frame.state.set(variable, value ?? (isNothing(node.right) ? undefined : unknown));
  }
  return value;
}

/** A variable gets something of which nothing is known: by a pattern, or from a loop. */
export function assigned(run: Run, name: string, node: ESTree.Node, frame: Frame): void {
  const variable = find(frame.scope, name);
  if (!variable) return;
  if (variable.owner !== frame.owner || variable.captured)
    changed(run, heldIn(frame.state, variable), node, frame, "is changed where a function has hold of it");
  frame.state.set(variable, unknown);
}

/** The variables that a pattern assigns to. */
export function assignedNames(pattern: ESTree.Node): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => assignedNames(each.type === "Property" ? each.value : each.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each ? assignedNames(each) : []));
    case "AssignmentPattern":
      return assignedNames(pattern.left);
    case "RestElement":
      return assignedNames(pattern.argument);
    default:
      return [];
  }
}

/** Who asks the variable for a query has another entity than the one that is known of it there. */
function changed(run: Run, value: Value, node: ESTree.Node, frame: Frame, how: string): void {
  if (value?.kind === "entity") entityEscapes(run, node, frame, `begins with an entity in a variable that ${how}`);
  else lost(run, value, node, frame, how);
}
