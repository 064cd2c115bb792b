import type { ESTree } from "rolldown/utils";
import { assigned, assignedNames } from "./assignment.ts";
import { declare } from "./declaration.ts";
import { lost, unused } from "./escape.ts";
import { namesOf } from "./frame.ts";
import type { Run } from "./run.ts";
import { joinStates, settledLoop, sizeOf, type Frame, type QueryValue } from "./value.ts";

/** Rounds after which a loop has settled, or never does. */
const mostRounds = 4;

export type Loop =
  | ESTree.ForStatement
  | ESTree.ForInStatement
  | ESTree.ForOfStatement
  | ESTree.WhileStatement
  | ESTree.DoWhileStatement;

/** Runs a loop's body until another round brings nothing new. */
export function runLoop(run: Run, node: Loop, frame: Frame): void {
  begin(run, node, frame);
  for (let round = 0; round < mostRounds; round += 1) {
    const size = sizeOf(frame.state);
    runRound(run, node, frame);
    if (round > 0 && sizeOf(frame.state) === size) return;
  }
  for (const value of frame.state.values()) {
    if (value?.kind === "query" && grows(value)) lost(run, value, node, frame, "grows with every round of a loop");
  }
}

function begin(run: Run, node: Loop, frame: Frame): void {
  if (node.type === "ForInStatement" || node.type === "ForOfStatement")
    unused(run, node.right, frame, "is looped over; read it with each");
  if (node.type !== "ForStatement" || !node.init) return;
  if (node.init.type === "VariableDeclaration") declare(run, node.init, frame);
  else run.value(node.init, frame);
}

function runRound(run: Run, node: Loop, frame: Frame): void {
  const before = frame.state;
  const exits = frame.exits.length;
  frame.state = new Map(before);
  if ((node.type === "ForStatement" || node.type === "WhileStatement") && node.test)
    unused(run, node.test, frame, "is used as a condition");
  if ((node.type === "ForInStatement" || node.type === "ForOfStatement") && node.left.type !== "VariableDeclaration")
    for (const name of assignedNames(node.left)) assigned(run, name, node, frame);
  run.statement(node.body, frame);
  if (node.type === "DoWhileStatement") unused(run, node.test, frame, "is used as a condition");
  if (node.type === "ForStatement" && node.update) run.value(node.update, frame);
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
