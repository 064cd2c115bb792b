import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "./module.ts";

type Wrapper = Extract<ESTree.Node, { type: (typeof wrappers)[number]; expression: ESTree.Expression }>;

const wrappers = [
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ChainExpression",
] as const;

/** True for parentheses, type assertions, type arguments, `!` and optional chains: their value is the inner one. */
export function isWrapper(node: ESTree.Node): node is Wrapper {
  return (wrappers as readonly string[]).includes(node.type);
}

/** Removes the wrappers around an expression, such as parentheses, type assertions and `!`. */
export function unwrap(node: ESTree.Node): ESTree.Node {
  let inner = node;
  while (isWrapper(inner)) inner = inner.expression;
  return inner;
}

export type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression;

export function isFunction(node: ESTree.Node): node is FunctionNode {
  return (
    node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression" || node.type === "FunctionDeclaration"
  );
}

/** True for the type of `as const`. */
export function isConst(type: ESTree.TSType): boolean {
  return type.type === "TSTypeReference" && type.typeName.type === "Identifier" && type.typeName.name === "const";
}

/** Returns the argument of `Object.freeze(…)`; any other node without its wrappers. */
export function unwrapFrozen(module: SourceModule, node: ESTree.Node): ESTree.Node {
  const bare = unwrap(node);
  const argument = bare.type === "CallExpression" && bare.arguments.length === 1 ? bare.arguments[0] : undefined;
  if (!argument || bare.type !== "CallExpression" || module.bindings.has("Object")) return bare;
  const callee = unwrap(bare.callee);
  const isFreeze =
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    callee.object.name === "Object" &&
    keyOf(callee) === "freeze";
  return isFreeze ? unwrap(argument) : bare;
}

/** Returns the name of a property; undefined if it is computed from anything but a string or number literal. */
export function propertyName(property: { readonly key: ESTree.Node; readonly computed: boolean }): string | undefined {
  const { key } = property;
  if (!property.computed && key.type === "Identifier") return key.name;
  return literalName(key);
}

function literalName(node: ESTree.Node): string | undefined {
  if (node.type !== "Literal") return undefined;
  return typeof node.value === "string" || typeof node.value === "number" ? String(node.value) : undefined;
}

/** Returns the name of the accessed member: `b` of `a.b` and of `a["b"]`; undefined for other computed names. */
export function keyOf(node: ESTree.MemberExpression): string | undefined {
  if (node.computed) return literalName(unwrap(node.property));
  return node.property.type === "Identifier" ? node.property.name : undefined;
}

/** Returns the root of a member chain: `a` of `a.b.c`. */
export function memberRoot(node: ESTree.Node): ESTree.Node {
  let root = unwrap(node);
  while (root.type === "MemberExpression") root = unwrap(root.object);
  return root;
}

/** Quotes the source of a node in backticks, on one line and shortened. */
export function quote(module: SourceModule, node: ESTree.Node): string {
  const text = module.text.slice(node.start, Math.min(node.end, node.start + 80)).replace(/\s+/g, " ");
  return `\`${text.length > 40 ? `${Array.from(text).slice(0, 39).join("")}…` : text}\``;
}
