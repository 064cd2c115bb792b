import type { ESTree } from "rolldown/utils";
import { keyOf, unwrap } from "../source/expression.ts";
import { assignment } from "./assignment.ts";
import { choice, either } from "./branch.ts";
import { callValue } from "./call.ts";
import { entityEscapes, lost, parts, unused } from "./escape.ts";
import { anonymous } from "./function.ts";
import { nameValue, outside, rootedOutside } from "./lookup.ts";
import type { Run } from "./run.ts";
import type { Frame, Value } from "./value.ts";

/** What an expression comes to, as far as queries are concerned. */
export function runExpression(run: Run, node: ESTree.Node, frame: Frame): Value {
  const bare = unwrap(node);
  switch (bare.type) {
    case "Identifier":
      return seen(run, bare, nameValue(run, bare, frame));
    case "CallExpression":
      return seen(run, bare, callValue(run, bare, frame));
    case "MemberExpression":
      return seen(run, bare, memberValue(run, bare, frame));
    case "ConditionalExpression":
      return choice(run, bare, frame);
    case "LogicalExpression":
      return either(run, bare, frame);
    case "SequenceExpression":
      return bare.expressions.map((each) => run.value(each, frame)).at(-1);
    case "AssignmentExpression":
      return assignment(run, bare, frame);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return anonymous(run, bare, frame);
    case "AwaitExpression":
      return (unused(run, bare.argument, frame, "is awaited; end it with all, first, count or page"), undefined);
    case "ObjectExpression":
      return (parts(run, bare, frame, "is put into an object"), undefined);
    case "ArrayExpression":
      return (parts(run, bare, frame, "is put into a list"), undefined);
    default:
      return (parts(run, bare, frame, "is used where it cannot be followed"), undefined);
  }
}

function seen(run: Run, node: ESTree.Node, value: Value): Value {
  run.report.visit(node, value?.kind === "entity");
  return value;
}

function memberValue(run: Run, node: ESTree.MemberExpression, frame: Frame): Value {
  const object = run.value(node.object, frame);
  if (node.computed) unused(run, node.property, frame, "is used as a key");
  if (object?.kind === "entity" && (keyOf(node) ?? "query") === "query")
    entityEscapes(run, node, frame, "begins with a function that is taken off its entity");
  if (object?.kind === "query") return (lost(run, object, node, frame, "is taken apart"), undefined);
  return rootedOutside(node, frame.scope) ? outside(run, node, frame) : undefined;
}
