import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { assignUnknown } from "./assignment.ts";
import { declare } from "./declaration.ts";

import { joinStates, settledLoop, sizeOf, type QueryValue } from "./value.ts";
import { namesOf, type Frame } from "./frame.ts";

/** The number of iterations after which a loop is stable or never will be. */
const maxIterations = 4;

export type LoopNode =
  | ESTree.ForStatement
  | ESTree.ForInStatement
  | ESTree.ForOfStatement
  | ESTree.WhileStatement
  | ESTree.DoWhileStatement;

/** Runs a loop's body until an iteration adds nothing new. */
export function runLoop(node: LoopNode, frame: Frame): void {
  runLoopHead(node, frame);
  for (let round = 0; round < maxIterations; round += 1) {
    const size = sizeOf(frame.state);
    runIteration(node, frame);
    if (round > 0 && sizeOf(frame.state) === size) return;
  }
  for (const value of frame.state.values()) {
    if (value?.kind === "query" && grows(value)) frame.reportEscape(value, node, "grows with each iteration of a loop");
  }
}

function runLoopHead(node: LoopNode, frame: Frame): void {
  if (node.type === "ForInStatement" || node.type === "ForOfStatement")
    frame.unused(node.right, "is looped over; read it with each");
  if (node.type !== "ForStatement" || !node.init) return;
  if (node.init.type === "VariableDeclaration") declare(node.init, frame);
  else frame.value(node.init);
}

function runIteration(node: LoopNode, frame: Frame): void {
  const before = frame.state;
  const exits = frame.exits.length;
  frame.state = new Map(before);
  if ((node.type === "ForStatement" || node.type === "WhileStatement") && node.test)
    frame.unused(node.test, "is used as a condition");
  if ((node.type === "ForInStatement" || node.type === "ForOfStatement") && node.left.type !== "VariableDeclaration")
    for (const name of patternNames(node.left)) assignUnknown(name, node, frame);
  frame.statement(node.body);
  if (node.type === "DoWhileStatement") frame.unused(node.test, "is used as a condition");
  if (node.type === "ForStatement" && node.update) frame.value(node.update);
  const after = frame.exits.splice(exits).reduce(joinStates, frame.state);
  frame.state = settledLoop(before, after);
}

function grows({ alternatives }: QueryValue): boolean {
  return alternatives.some(({ orders }) => orders.length >= maxIterations);
}

/** Lists the names that the head of a loop declares. */
export function loopNames(node: LoopNode): readonly string[] {
  if (node.type === "ForStatement") return node.init?.type === "VariableDeclaration" ? namesOf(node.init) : [];
  if (node.type !== "ForInStatement" && node.type !== "ForOfStatement") return [];
  return node.left.type === "VariableDeclaration" ? namesOf(node.left) : [];
}
