import type { ESTree } from "rolldown/utils";
import { entityEscapes, lost, parts } from "./escape.ts";
import type { Run } from "./run.ts";
import { find, join, type Frame, type Value } from "./value.ts";

export function assignment(run: Run, node: ESTree.AssignmentExpression, frame: Frame): Value {
  const right = run.value(node.right, frame);
  const { left } = node;
  if (left.type !== "Identifier") {
    parts(run, left, frame, "is taken apart");
    return (lost(run, right, node, frame, "is stored where it cannot be followed"), undefined);
  }
  const variable = find(frame.scope, left.name);
  const value = node.operator === "=" || !variable ? right : join(frame.state.get(variable), right);
  if (!variable) lost(run, value, node, frame, "is held in a variable of the module that can change");
  else if (variable.owner !== frame.owner)
    changed(run, join(value, frame.state.get(variable)), node, frame, "is changed inside another function");
  else {
    if (variable.captured) changed(run, value, node, frame, "is changed after a function has taken hold of it");
    frame.state.set(variable, value);
  }
  return value;
}

/** Who asks the variable for a query has another entity than the one that is known of it there. */
function changed(run: Run, value: Value, node: ESTree.AssignmentExpression, frame: Frame, how: string): void {
  if (value?.kind === "entity") entityEscapes(run, node, frame, `begins with an entity in a variable that ${how}`);
  else lost(run, value, node, frame, how);
}
