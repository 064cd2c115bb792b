import type { ESTree } from "rolldown/utils";
import { childrenOf } from "../source/nodes-around.ts";

const member: ReadonlySet<string> = new Set(["property"]);

/** The names that an expression is made of; of a member, the object's. */
export function walkNames(root: ESTree.Node): readonly string[] {
  const names: string[] = [];
  const waiting: ESTree.Node[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Identifier") names.push(node.name);
    waiting.push(...childrenOf(node, node.type === "MemberExpression" && !node.computed ? member : undefined));
  }
  return names;
}
