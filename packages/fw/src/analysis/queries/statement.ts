import type { ESTree } from "rolldown/utils";
import { runIf, runSwitch, runTry } from "./branch.ts";
import { declare } from "./declaration.ts";
import { runChildren } from "./children.ts";
import { runStandalone } from "./function.ts";
import { loopNames, runLoop } from "./loop.ts";
import { isFunction } from "../source/expression.ts";
import { namesOf, type Frame } from "./frame.ts";

/** Runs a statement; false if the code after it is unreachable. */
export function runStatement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean {
  switch (node.type) {
    case "BlockStatement":
      return runBlock(node.body, frame);
    case "VariableDeclaration":
      return (declare(node, frame), true);
    case "ReturnStatement":
      if (node.argument) frame.returns.push({ value: frame.value(node.argument), node: node.argument });
      return false;
    case "ThrowStatement":
      return (frame.unused(node.argument, "is thrown"), false);
    case "IfStatement":
      return runIf(node, frame);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return (frame.inScope(loopNames(node), () => runLoop(node, frame)), true);
    case "SwitchStatement":
      return runSwitch(node, frame);
    case "TryStatement":
      return runTry(node, frame);
    case "BreakStatement":
    case "ContinueStatement":
      return (frame.exits.push(new Map(frame.state)), false);
    case "LabeledStatement":
      return frame.statement(node.body);
    case "ExpressionStatement":
      return (frame.value(node.expression), true);
    case "FunctionDeclaration":
      return (runStandalone(node, frame), true);
    case "ExportNamedDeclaration":
      return !node.declaration || frame.statement(node.declaration);
    case "ExportDefaultDeclaration":
      return (runDefaultExport(node, frame), true);
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return true;
    default:
      return (runChildren(node, frame, "is used where fw cannot follow it"), true);
  }
}

function runDefaultExport({ declaration }: ESTree.ExportDefaultDeclaration, frame: Frame): void {
  if (isFunction(declaration)) runStandalone(declaration, frame);
  else frame.value(declaration);
}

function runBlock(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): boolean {
  return frame.inScope(body.flatMap(namesOf), () => {
    hoist(body, frame);
    return body.every((statement) => frame.statement(statement));
  });
}

/** Declares functions first, because they can be called before their declaration. */
function hoist(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): void {
  for (const statement of body) {
    if (statement.type === "FunctionDeclaration" && statement.id)
      frame.assign(statement.id.name, frame.functionValue(statement));
  }
}
