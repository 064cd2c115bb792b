import type { ESTree } from "rolldown/utils";
import { keyOf, unwrap } from "../source/expression.ts";
import { runAssignment } from "./assignment.ts";
import { conditionalValue, logicalValue } from "./branch.ts";
import { callValue } from "./call.ts";
import { runChildren } from "./children.ts";
import { functionExpressionValue } from "./function.ts";
import { runNew, selfValue } from "./instance.ts";
import { nameValue, topLevelValue, hasTopLevelRoot } from "./lookup.ts";
import type { Value } from "./value.ts";
import type { Frame } from "./frame.ts";

/** Evaluates an expression, tracking queries and entities only. */
export function runExpression(node: ESTree.Node, frame: Frame): Value {
  const bare = unwrap(node);
  switch (bare.type) {
    case "Identifier":
      return recordVisit(bare, nameValue(bare, frame), frame);
    case "CallExpression":
      return recordVisit(bare, callValue(bare, frame), frame);
    case "NewExpression":
      return (runNew(bare, frame), undefined);
    case "MemberExpression":
      return recordVisit(bare, memberValue(bare, frame), frame);
    case "ConditionalExpression":
      return conditionalValue(bare, frame);
    case "LogicalExpression":
      return logicalValue(bare, frame);
    case "SequenceExpression":
      return bare.expressions.map((expression) => frame.value(expression)).at(-1);
    case "AssignmentExpression":
      return runAssignment(bare, frame);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return functionExpressionValue(bare, frame);
    case "AwaitExpression":
      return (frame.unused(bare.argument, "is awaited; end it with all, first, count or page"), undefined);
    case "ObjectExpression":
      return (runChildren(bare, frame, "is stored in an object"), undefined);
    case "ArrayExpression":
      return (runChildren(bare, frame, "is stored in a list"), undefined);
    default:
      return (runChildren(bare, frame, "is used where fw cannot follow it"), undefined);
  }
}

function recordVisit(node: ESTree.Node, value: Value, frame: Frame): Value {
  frame.run.report.addVisit(node, value?.kind === "entity");
  return value;
}

function memberValue(node: ESTree.MemberExpression, frame: Frame): Value {
  const object = frame.value(node.object);
  if (node.computed) frame.unused(node.property, "is used as a key");
  if (object?.kind === "entity" && (keyOf(node) ?? "query") === "query")
    frame.reportEntityEscape(node, "begins with a method that is detached from its entity");
  if (object?.kind === "query") return (frame.reportEscape(object, node, "is used without a call"), undefined);
  const field = selfValue(node, frame);
  if (field) return field;
  return hasTopLevelRoot(node, frame.scope) ? topLevelValue(node, frame) : undefined;
}
