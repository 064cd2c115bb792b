import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { isNothing } from "./branch.ts";
import { runChildren } from "./children.ts";
import { assignField } from "./instance.ts";
import { join, unknown, type Value } from "./value.ts";
import type { Frame } from "./frame.ts";

export function runAssignment(node: ESTree.AssignmentExpression, frame: Frame): Value {
  const right = frame.value(node.right);
  const { left } = node;
  if (left.type !== "Identifier") {
    assignField(left, right, frame);
    runChildren(left, frame, "is destructured");
    for (const name of patternNames(left)) assignUnknown(name, node, frame);
    return (frame.reportEscape(right, node, "is stored where fw cannot follow it"), undefined);
  }
  const variable = frame.find(left.name);
  const value = node.operator === "=" || !variable ? right : join(frame.valueOf(variable), right);
  if (!variable) frame.reportEscape(value, node, "is in a module variable that can change");
  else if (variable.owner !== frame)
    reportChange(join(value, frame.valueOf(variable)), node, frame, "is assigned in another function");
  else {
    if (variable.captured) reportChange(value, node, frame, "is assigned after a function captured it");
    frame.state.set(variable, value ?? (isNothing(node.right) ? undefined : unknown));
  }
  return value;
}

/**
 * Assigns an unknown value, such as one from a pattern or a loop. Reports the query or entity that the variable held if
 * the variable belongs to another function or an inner function uses it.
 */
export function assignUnknown(name: string, node: ESTree.Node, frame: Frame): void {
  const variable = frame.find(name);
  if (!variable) return;
  if (variable.owner !== frame || variable.captured)
    reportChange(frame.valueOf(variable), node, frame, "is assigned after a function captured it");
  frame.state.set(variable, unknown);
}

/** Reports a variable that holds a query or an entity and that one function assigns while another uses it. */
function reportChange(value: Value, node: ESTree.Node, frame: Frame, how: string): void {
  if (value?.kind === "entity") frame.reportEntityEscape(node, `begins with an entity in a variable that ${how}`);
  else frame.reportEscape(value, node, how);
}
