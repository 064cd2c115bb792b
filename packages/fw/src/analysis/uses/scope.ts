import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";
import { declaredBy } from "../source/walk.ts";
import { chainOf, isAlias, keysTo, type Chain, type Root } from "./chain.ts";

/** The names of a function or a block; the top level is none. */
export interface Scope {
  /** With the constant that makes a name another name of something else. */
  readonly names: ReadonlyMap<string, ESTree.VariableDeclarator | undefined>;
  readonly parent: Scope | undefined;
}

/** The scope of what is inside a node; the one around it where the node declares nothing. */
export function scopeIn(node: ESTree.Node, parent: Scope | undefined): Scope | undefined {
  const declared = declaredBy(node);
  if (declared.length === 0) return parent;
  const names = new Map<string, ESTree.VariableDeclarator | undefined>(declared.map((name) => [name, undefined]));
  for (const statement of statementsOf(node)) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const each of statement.declarations) {
      if (isAlias(each, statement.kind)) for (const name of patternNames(each.id)) names.set(name, each);
    }
  }
  return { names, parent };
}

function statementsOf(node: ESTree.Node): readonly ESTree.Node[] {
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return node.body;
    case "SwitchStatement":
      return node.cases.flatMap((each) => each.consequent);
    case "ForStatement":
      return node.init ? [node.init] : [];
    default:
      return [];
  }
}

/**
 * What a chain's root comes down to, outside of all scopes: through constants that are other names of something. Undefined
 * where it is a name of a scope that stands for itself.
 */
export function outermost(root: Root, scope: Scope | undefined): Chain | undefined {
  const followed = new Set<ESTree.Node>();
  const keys: string[] = [];
  let from = scope;
  let at = root;
  while (at.type === "Identifier") {
    const { name } = at;
    while (from && !from.names.has(name)) from = from.parent;
    if (!from) break;
    const alias = from.names.get(name);
    const chain = alias?.init && !followed.has(alias) ? chainOf(alias.init) : undefined;
    if (!alias || !chain) return undefined;
    followed.add(alias);
    keys.unshift(...chain.keys, ...(keysTo(alias.id, name) ?? []));
    at = chain.root;
  }
  return { root: at, keys };
}
