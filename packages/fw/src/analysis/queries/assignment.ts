import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { isNothing } from "./branch.ts";
import { parts } from "./parts.ts";
import { join, unknown, type Value } from "./value.ts";
import type { Frame } from "./frame.ts";

export function assignment(node: ESTree.AssignmentExpression, frame: Frame): Value {
  const right = frame.value(node.right);
  const { left } = node;
  if (left.type !== "Identifier") {
    parts(left, frame, "is taken apart");
    for (const name of patternNames(left)) assigned(name, node, frame);
    return (frame.lost(right, node, "is stored where it cannot be followed"), undefined);
  }
  const variable = frame.find(left.name);
  const value = node.operator === "=" || !variable ? right : join(frame.held(variable), right);
  if (!variable) frame.lost(value, node, "is held in a variable of the module that can change");
  else if (variable.owner !== frame)
    changed(join(value, frame.held(variable)), node, frame, "is changed inside another function");
  else {
    if (variable.captured) changed(value, node, frame, "is changed after a function has taken hold of it");
    frame.state.set(variable, value ?? (isNothing(node.right) ? undefined : unknown));
  }
  return value;
}

/** A variable gets something of which nothing is known: by a pattern, or from a loop. */
export function assigned(name: string, node: ESTree.Node, frame: Frame): void {
  const variable = frame.find(name);
  if (!variable) return;
  if (variable.owner !== frame || variable.captured)
    changed(frame.held(variable), node, frame, "is changed where a function has hold of it");
  frame.state.set(variable, unknown);
}

/** Who asks the variable for a query has another entity than the one that is known of it there. */
function changed(value: Value, node: ESTree.Node, frame: Frame, how: string): void {
  if (value?.kind === "entity") frame.entityEscapes(node, `begins with an entity in a variable that ${how}`);
  else frame.lost(value, node, how);
}
