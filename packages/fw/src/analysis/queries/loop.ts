import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { assigned } from "./assignment.ts";
import { declare } from "./declaration.ts";

import { joinStates, settledLoop, sizeOf, type QueryValue } from "./value.ts";
import { namesOf, type Frame } from "./frame.ts";

/** Rounds after which a loop has settled, or never does. */
const mostRounds = 4;

export type Loop =
  | ESTree.ForStatement
  | ESTree.ForInStatement
  | ESTree.ForOfStatement
  | ESTree.WhileStatement
  | ESTree.DoWhileStatement;

/** Runs a loop's body until another round brings nothing new. */
export function runLoop(node: Loop, frame: Frame): void {
  begin(node, frame);
  for (let round = 0; round < mostRounds; round += 1) {
    const size = sizeOf(frame.state);
    runRound(node, frame);
    if (round > 0 && sizeOf(frame.state) === size) return;
  }
  for (const value of frame.state.values()) {
    if (value?.kind === "query" && grows(value)) frame.lost(value, node, "grows with every round of a loop");
  }
}

function begin(node: Loop, frame: Frame): void {
  if (node.type === "ForInStatement" || node.type === "ForOfStatement")
    frame.unused(node.right, "is looped over; read it with each");
  if (node.type !== "ForStatement" || !node.init) return;
  if (node.init.type === "VariableDeclaration") declare(node.init, frame);
  else frame.value(node.init);
}

function runRound(node: Loop, frame: Frame): void {
  const before = frame.state;
  const exits = frame.exits.length;
  frame.state = new Map(before);
  if ((node.type === "ForStatement" || node.type === "WhileStatement") && node.test)
    frame.unused(node.test, "is used as a condition");
  if ((node.type === "ForInStatement" || node.type === "ForOfStatement") && node.left.type !== "VariableDeclaration")
    for (const name of patternNames(node.left)) assigned(name, node, frame);
  frame.statement(node.body);
  if (node.type === "DoWhileStatement") frame.unused(node.test, "is used as a condition");
  if (node.type === "ForStatement" && node.update) frame.value(node.update);
  const after = frame.exits.splice(exits).reduce(joinStates, frame.state);
  frame.state = settledLoop(before, after);
}

function grows({ alternatives }: QueryValue): boolean {
  return alternatives.some(({ orders }) => orders.length >= mostRounds);
}

/** Names that the head of a loop declares. */
export function loopNames(node: Loop): readonly string[] {
  if (node.type === "ForStatement") return node.init?.type === "VariableDeclaration" ? namesOf(node.init) : [];
  if (node.type !== "ForInStatement" && node.type !== "ForOfStatement") return [];
  return node.left.type === "VariableDeclaration" ? namesOf(node.left) : [];
}
