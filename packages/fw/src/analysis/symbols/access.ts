import type { ESTree } from "rolldown/utils";
import { isWrapper, keyOf } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";
import { isAlias } from "./alias.ts";
import { scopeOf } from "./scope.ts";
import type { NameUse, NodePath } from "./table.ts";

/** The members read from a reference, and the code around them. */
export interface Access {
  /** The constant member names: `users` and `grant` in `auth.users.grant`. */
  readonly keys: readonly string[];
  /** The whole expression: `auth.users.grant`. */
  readonly node: ESTree.Node;
  /** The node around the expression, outside its parentheses and type assertions. */
  readonly around: NodePath;
  readonly isCalled: boolean;
}

/**
 * Collects the members read from a reference. An `import()` has members once it is awaited. `nameOf` may also return
 * names that the syntax does not show.
 */
export function accessOf({ node: root, step }: NameUse, nameOf: typeof keyOf = keyOf): Access {
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
  return { keys, node, around, isCalled: around.node.type === "CallExpression" && around.node.callee === node };
}

/** True if a constant in an inner scope is an alias of the reference; the alias is then followed instead. */
export function isLocalAlias({ scope }: NameUse, { node, around }: Access): boolean {
  const declarator = around.node;
  if (declarator.type !== "VariableDeclarator" || declarator.init !== node) return false;
  return patternNames(declarator.id).every((name) => {
    const local = scopeOf(scope, name)?.names.get(name);
    return local?.declarator === declarator && local.kind !== undefined && isAlias(declarator, local.kind);
  });
}

/** True if the value is not passed on: it is an expression statement, or an operand of a unary or binary operator. */
export function isPassedBy({ around: { node } }: Access): boolean {
  return node.type === "ExpressionStatement" || node.type === "UnaryExpression" || node.type === "BinaryExpression";
}

/** True if code assigns to the reference, even through parentheses or a type assertion. */
export function isAssigned({ node, step }: { readonly node: ESTree.Node; readonly step: NodePath }): boolean {
  const outer = step.node;
  if (isWrapper(outer)) return step.parent !== undefined && isAssigned({ node: outer, step: step.parent });
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
