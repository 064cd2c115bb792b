import type { ESTree } from "rolldown/utils";
import { isWrapper, keyOf } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";
import { isAlias } from "./alias.ts";
import { scopeOf } from "./scope.ts";
import type { Named, Step } from "./table.ts";

/** What code does with a reference: the members that it reads of it, and what stands around all of it. */
export interface Access {
  /** As far as they are constants: of `auth.users.grant`, `users` and `grant`. */
  readonly keys: readonly string[];
  /** All of it: `auth.users.grant`. */
  readonly node: ESTree.Node;
  /** The node around it, without parentheses and type assertions. */
  readonly around: Step;
  /** True where it is called. */
  readonly called: boolean;
}

/**
 * The members that are read of what a reference names. A module that is loaded has members once it is awaited. `nameOf` tells
 * which member it is where more is known than the syntax.
 */
export function accessOf({ node: root, step }: Named, nameOf: typeof keyOf = keyOf): Access {
  const keys: string[] = [];
  let isReady = root.type === "Identifier";
  let node: ESTree.Node = root;
  let around = step;
  for (;;) {
    const outer = around.node;
    if (outer.type === "MemberExpression" && outer.object === node && isReady) {
      const key = nameOf(outer);
      if (key === undefined) break;
      keys.push(key);
    } else if (outer.type === "AwaitExpression" && !isReady) isReady = true;
    else if (!isWrapper(outer)) break;
    if (!around.parent) break;
    node = outer;
    around = around.parent;
  }
  return { keys, node, around, called: around.node.type === "CallExpression" && around.node.callee === node };
}

/** True where a constant of an inner scope gives another name to what is referred to: it is followed from there. */
export function isLocalAlias({ scope }: Named, { node, around }: Access): boolean {
  const declarator = around.node;
  if (declarator.type !== "VariableDeclarator" || declarator.init !== node) return false;
  return patternNames(declarator.id).every((name) => {
    const local = scopeOf(scope, name)?.names.get(name);
    return local?.declarator === declarator && local.kind !== undefined && isAlias(declarator, local.kind);
  });
}

/** True where nothing of a value is left: it stands alone, or is asked only whether it is there or what it equals. */
export function isPassedBy({ around: { node } }: Access): boolean {
  return node.type === "ExpressionStatement" || node.type === "UnaryExpression" || node.type === "BinaryExpression";
}

/** True where a value is assigned to what is named. */
export function isAssigned({ node, step }: { readonly node: ESTree.Node; readonly step: Step }): boolean {
  const outer = step.node;
  switch (outer.type) {
    case "AssignmentExpression":
    case "ForInStatement":
    case "ForOfStatement":
      return outer.left === node;
    case "UpdateExpression":
    case "ArrayPattern":
    case "RestElement":
      return true;
    case "AssignmentPattern":
      return outer.left === node;
    case "Property":
      return outer.value === node && step.parent?.node.type === "ObjectPattern";
    default:
      return false;
  }
}
