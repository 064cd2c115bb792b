import type { ESTree } from "rolldown/utils";
import { isFunction, unwrap, type FunctionNode } from "../source/expression.ts";
import { childrenOf } from "../source/nodes-around.ts";
import type { SourceModule } from "../source/module.ts";
import { scopeOf, type LexicalScope } from "../symbols/scope.ts";
import type { NodePath } from "../symbols/table.ts";
import { namesIn } from "./names.ts";

/** Lookups that recognize handlers and entity calls. */
export interface OutsideSources {
  readonly isHandler: (fn: FunctionNode) => boolean;
  readonly isEntityCall: (
    module: SourceModule,
    call: ESTree.CallExpression,
    scope: LexicalScope | undefined,
  ) => boolean;
}

/** An expression with the path of its enclosing node. */
interface PlacedNode {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
  readonly around: NodePath;
}

/** The maximum number of constants, loops and callbacks to follow back from a name. */
const mostSteps = 12;

/** True for a value that comes from a stored document, a request or a message, including its members. */
export function isOutsideValue(sources: OutsideSources, value: PlacedNode, steps: number = mostSteps): boolean {
  const root = rootOf(value.node);
  if (steps === 0) return false;
  if (root.type === "CallExpression") return sources.isEntityCall(value.module, root, value.around.scope);
  if (root.type !== "Identifier") return false;
  const owner = scopeOf(scopeIn(value), root.name);
  const declarator = owner?.names.get(root.name)?.declarator;
  if (owner === undefined) return false;
  if (declarator?.init) return isOutsideValue(sources, { ...value, node: declarator.init }, steps - 1);
  for (let at: NodePath | undefined = value.around; at; at = at.parent) {
    const { node, parent } = at;
    if (node.type === "ForOfStatement" && declarator && childrenOf(node.left).includes(declarator))
      return isOutsideValue(sources, { ...value, node: node.right }, steps - 1);
    if (isFunction(node) && namesIn(value.module).functions.get(node) === owner)
      return sources.isHandler(node)
        ? isInput(node, root)
        : parent !== undefined && isOutsideItem(sources, { ...value, node, around: parent }, steps);
  }
  return false;
}

/** Returns the scope that resolves an expression's names. */
export function scopeIn({ module, around }: PlacedNode): LexicalScope | undefined {
  return namesIn(module).functions.get(around.node) ?? around.scope;
}

/** True for a parameter other than the first, which is the context. False if the first has no name. */
function isInput({ params: [context] }: FunctionNode, name: ESTree.Node): boolean {
  const isFirst = context?.type === "Identifier" && name.type === "Identifier" && context.name === name.name;
  return context?.type === "Identifier" && !isFirst;
}

const itemMethods = new Set(["every", "filter", "find", "findLast", "flatMap", "forEach", "map", "some"]);

/** True for a callback that receives each item of a list that is an outside value. */
function isOutsideItem(sources: OutsideSources, value: PlacedNode, steps: number): boolean {
  const call = value.around.node;
  const callee = call.type === "CallExpression" ? unwrap(call.callee) : undefined;
  if (callee?.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  return itemMethods.has(callee.property.name) && isOutsideValue(sources, { ...value, node: callee.object }, steps - 1);
}

/** Strips `await`, member accesses, date methods and conversions from an expression. */
function rootOf(node: ESTree.Node): ESTree.Node {
  const bare = unwrap(node);
  if (bare.type === "AwaitExpression") return rootOf(bare.argument);
  if (bare.type === "MemberExpression") return rootOf(bare.object);
  if (bare.type === "NewExpression" || bare.type === "CallExpression") {
    const callee = unwrap(bare.callee);
    const [argument] = bare.arguments;
    if (callee.type === "Identifier" && argument && conversions.has(callee.name)) return rootOf(argument);
    if (bare.type === "CallExpression" && callee.type === "MemberExpression" && isDateMethod(callee))
      return rootOf(callee.object);
  }
  return bare;
}

const conversions = new Set(["Date", "Number"]);

function isDateMethod({ property }: ESTree.MemberExpression): boolean {
  return (
    property.type === "Identifier" && /^(get[A-Z]|valueOf$|to[A-Z])/.test(property.name) && property.name !== "getMany"
  );
}
