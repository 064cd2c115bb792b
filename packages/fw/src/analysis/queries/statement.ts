import type { ESTree } from "rolldown/utils";
import { runIf, runSwitch, runTry } from "./branch.ts";
import { declare } from "./declaration.ts";
import { parts, unused } from "./escape.ts";
import { assign, functionValue, inScope, namesOf } from "./frame.ts";
import { standAlone } from "./function.ts";
import { loopNames, runLoop } from "./loop.ts";
import { isFunction } from "../source/expression.ts";
import type { Run } from "./run.ts";
import type { Frame } from "./value.ts";

/** False when what follows is not reached. */
export function runStatement(run: Run, node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean {
  switch (node.type) {
    case "BlockStatement":
      return block(run, node.body, frame);
    case "VariableDeclaration":
      return (declare(run, node, frame), true);
    case "ReturnStatement":
      if (node.argument) frame.returns.push({ value: run.value(node.argument, frame), node: node.argument });
      return false;
    case "ThrowStatement":
      return (unused(run, node.argument, frame, "is thrown"), false);
    case "IfStatement":
      return runIf(run, node, frame);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return (inScope(frame, loopNames(node), () => runLoop(run, node, frame)), true);
    case "SwitchStatement":
      return runSwitch(run, node, frame);
    case "TryStatement":
      return runTry(run, node, frame);
    case "BreakStatement":
    case "ContinueStatement":
      return (frame.exits.push(new Map(frame.state)), false);
    case "LabeledStatement":
      return run.statement(node.body, frame);
    case "ExpressionStatement":
      return (run.value(node.expression, frame), true);
    case "FunctionDeclaration":
      return (standAlone(run, node, frame), true);
    case "ExportNamedDeclaration":
      return !node.declaration || run.statement(node.declaration, frame);
    case "ExportDefaultDeclaration":
      return (exported(run, node, frame), true);
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return true;
    default:
      return (parts(run, node, frame, "is used where it cannot be followed"), true);
  }
}

function exported(run: Run, { declaration }: ESTree.ExportDefaultDeclaration, frame: Frame): void {
  if (isFunction(declaration)) standAlone(run, declaration, frame);
  else run.value(declaration, frame);
}

function block(run: Run, body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): boolean {
  return inScope(frame, body.flatMap(namesOf), () => {
    hoist(body, frame);
    return body.every((each) => run.statement(each, frame));
  });
}

/** Functions can be called before they are declared. */
function hoist(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): void {
  for (const each of body) {
    if (each.type === "FunctionDeclaration" && each.id) assign(each.id.name, functionValue(each, frame), frame);
  }
}
