import type { ESTree } from "rolldown/utils";
import { isFunction, keyOf, propertyName, unwrap } from "../source/expression.ts";
import { childrenOf } from "../source/nodes-around.ts";
import type { SourceModule } from "../source/module.ts";

/** Lists uses of `this` in methods of literals that may reach one of the functions among the literal's own members. */
export function ownMemberUses(
  { program }: SourceModule,
  functions: ReadonlyMap<ESTree.Node, unknown>,
): readonly ESTree.Node[] {
  return descendants(program).flatMap((node) => {
    if (node.type !== "ObjectExpression") return [];
    const members = node.properties.flatMap((each) => (each.type === "Property" ? [each] : []));
    const keys = new Set(members.filter(({ value }) => functions.has(unwrap(value))).map(propertyName));
    if (keys.size === 0) return [];
    return members.flatMap(({ value }) => {
      const fn = unwrap(value);
      return isFunction(fn) ? selfUses(fn, keys) : [];
    });
  });
}

/** Lists the uses of `this` and `super` in a method, except reads of members with other keys. */
function selfUses(method: ESTree.Node, keys: ReadonlySet<string | undefined>): readonly ESTree.Node[] {
  const inside = descendants(method, ofOtherObject);
  const harmless = new Set(
    inside.flatMap((node) => {
      const key = node.type === "MemberExpression" ? keyOf(node) : undefined;
      return node.type === "MemberExpression" && key !== undefined && !keys.has(key) ? [unwrap(node.object)] : [];
    }),
  );
  return inside.filter((node) => isSelf(node) && !harmless.has(node));
}

function isSelf({ type }: ESTree.Node): boolean {
  return type === "ThisExpression" || type === "Super";
}

/** True for code with its own `this`. */
function ofOtherObject({ type }: ESTree.Node): boolean {
  return type.startsWith("Class") || type === "FunctionExpression" || type === "FunctionDeclaration";
}

/**
 * Lists a node and all nodes inside it, except those inside skipped ones. Without recursion, because sources may be
 * nested deeply.
 */
function descendants(node: ESTree.Node, isSkipped: (inner: ESTree.Node) => boolean = () => false): ESTree.Node[] {
  const all = [node];
  for (const each of all) for (const child of childrenOf(each)) if (!isSkipped(child)) all.push(child);
  return all;
}
