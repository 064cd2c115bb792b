import type { ESTree } from "rolldown/utils";
import { childrenOf } from "../source/nodes-around.ts";

const member: ReadonlySet<string> = new Set(["property"]);

/** Lists the identifiers in an expression, except member names. */
export function walkNames(root: ESTree.Node): readonly string[] {
  const names: string[] = [];
  const waiting: ESTree.Node[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Identifier") names.push(node.name);
    waiting.push(...childrenOf(node, node.type === "MemberExpression" && !node.computed ? member : undefined));
  }
  return names;
}
