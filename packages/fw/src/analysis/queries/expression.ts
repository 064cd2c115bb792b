import type { ESTree } from "rolldown/utils";
import { keyOf, unwrap } from "../source/expression.ts";
import { assignment } from "./assignment.ts";
import { choice, either } from "./branch.ts";
import { callValue } from "./call.ts";
import { parts } from "./parts.ts";
import { anonymous } from "./function.ts";
import { nameValue, outside, rootedOutside } from "./lookup.ts";
import type { Value } from "./value.ts";
import type { Frame } from "./frame.ts";

/** What an expression comes to, as far as queries are concerned. */
export function runExpression(node: ESTree.Node, frame: Frame): Value {
  const bare = unwrap(node);
  switch (bare.type) {
    case "Identifier":
      return seen(bare, nameValue(bare, frame), frame);
    case "CallExpression":
      return seen(bare, callValue(bare, frame), frame);
    case "MemberExpression":
      return seen(bare, memberValue(bare, frame), frame);
    case "ConditionalExpression":
      return choice(bare, frame);
    case "LogicalExpression":
      return either(bare, frame);
    case "SequenceExpression":
      return bare.expressions.map((expression) => frame.value(expression)).at(-1);
    case "AssignmentExpression":
      return assignment(bare, frame);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return anonymous(bare, frame);
    case "AwaitExpression":
      return (frame.unused(bare.argument, "is awaited; end it with all, first, count or page"), undefined);
    case "ObjectExpression":
      return (parts(bare, frame, "is put into an object"), undefined);
    case "ArrayExpression":
      return (parts(bare, frame, "is put into a list"), undefined);
    default:
      return (parts(bare, frame, "is used where it cannot be followed"), undefined);
  }
}

function seen(node: ESTree.Node, value: Value, frame: Frame): Value {
  frame.run.report.visit(node, value?.kind === "entity");
  return value;
}

function memberValue(node: ESTree.MemberExpression, frame: Frame): Value {
  const object = frame.value(node.object);
  if (node.computed) frame.unused(node.property, "is used as a key");
  if (object?.kind === "entity" && (keyOf(node) ?? "query") === "query")
    frame.entityEscapes(node, "begins with a function that is taken off its entity");
  if (object?.kind === "query") return (frame.lost(object, node, "is taken apart"), undefined);
  return rootedOutside(node, frame.scope) ? outside(node, frame) : undefined;
}
