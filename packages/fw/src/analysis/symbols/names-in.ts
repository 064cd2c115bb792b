import type { ESTree } from "rolldown/utils";

/** The names that an expression is made of; of a member, the object's. */
export function walkNames(root: ESTree.Node): readonly string[] {
  const names: string[] = [];
  const waiting: ESTree.Node[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Identifier") names.push(node.name);
    const fields = node as unknown as Readonly<Record<string, unknown>>;
    for (const key in fields) {
      if (node.type === "MemberExpression" && key === "property" && !node.computed) continue;
      const value = fields[key];
      for (const each of Array.isArray(value) ? value : [value])
        if (typeof each === "object" && each !== null && "type" in each) waiting.push(each as ESTree.Node);
    }
  }
  return names;
}
