import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import type { SourceModule } from "./module.ts";
import { offsetOf } from "./position.ts";

/** The nodes that hold a stretch of a module, from the program inwards. */
export function nodesAround(module: SourceModule, at: Span): readonly ESTree.Node[] {
  const start = offsetOf(module, at);
  const end = offsetOf(module, { line: at.endLine, column: at.endColumn });
  const around: ESTree.Node[] = [];
  let next: ESTree.Node | undefined = module.program;
  while (next !== undefined) {
    around.push(next);
    next = childrenOf(next).find((child) => child.start <= start && end <= child.end);
  }
  return around;
}

function childrenOf(node: ESTree.Node): readonly ESTree.Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
