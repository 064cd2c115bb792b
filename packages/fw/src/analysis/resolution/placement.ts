import type { ESTree } from "rolldown/utils";
import { isWrapper } from "../source/expression.ts";
import type { NodePath } from "../symbols/table.ts";

/** The position of a declaration's call. Only `const` is valid: a constant at the module's top level. */
export type Placement =
  | "const"
  | "let"
  | "var"
  | "using"
  /** Destructured by a pattern: `const { call } = API(…)`. */
  | "pattern"
  | "function"
  | "class"
  /** Inside a block, loop, condition or namespace at the top level. */
  | "block"
  | "object-member"
  | "array-element"
  /** An argument of another call, or part of one. */
  | "argument"
  | "default-export"
  /** An expression statement, or part of a larger expression. */
  | "expression";

export interface CallPlacement {
  readonly placement: Placement;
  /** The top-level variable that holds it. */
  readonly variable?: string;
  /** The call whose argument contains it. */
  readonly call?: ESTree.CallExpression;
}

/** Classifies a call by the nodes around it. */
export function placementOf(step: NodePath): CallPlacement {
  const outer = outermost(step);
  const call = callAround(outer);
  if (call) return { placement: "argument", call };
  const around = surroundings(outer);
  if (around) return { placement: around };
  return topLevel(outer);
}

/** Extends a node to the parentheses and type assertions around it. */
function outermost(step: NodePath): NodePath {
  let outer = step;
  while (outer.parent && isWrapper(outer.parent.node)) outer = outer.parent;
  return outer;
}

/**
 * Returns the call that has this node in an argument, possibly inside a literal or a conditional expression; undefined
 * without one.
 */
function callAround(step: NodePath): ESTree.CallExpression | undefined {
  let inner = step;
  for (let parent = inner.parent; parent; parent = inner.parent) {
    if (parent.node.type === "CallExpression") return parent.node.callee === inner.node ? undefined : parent.node;
    if (!isArgumentPart(parent.node)) return undefined;
    inner = parent;
  }
  return undefined;
}

function isArgumentPart(node: ESTree.Node): boolean {
  return isWrapper(node) || argumentParts.has(node.type);
}

const argumentParts: ReadonlySet<ESTree.Node["type"]> = new Set([
  "ObjectExpression",
  "Property",
  "ArrayExpression",
  "SpreadElement",
  "ConditionalExpression",
  "LogicalExpression",
  "MemberExpression",
]);

/**
 * Returns what encloses a call below the top level; undefined if nothing does. Functions and classes take precedence
 * over blocks.
 */
function surroundings(step: NodePath): Placement | undefined {
  let placement: Placement | undefined;
  for (let parent = step.parent; parent; parent = parent.parent) {
    const kind = containers[parent.node.type];
    if (kind === "function") return kind;
    if (kind === "class" || placement === undefined) placement = kind ?? placement;
  }
  return placement;
}

const containers: Readonly<Partial<Record<ESTree.Node["type"], Placement>>> = {
  FunctionDeclaration: "function",
  FunctionExpression: "function",
  ArrowFunctionExpression: "function",
  ClassDeclaration: "class",
  ClassExpression: "class",
  BlockStatement: "block",
  IfStatement: "block",
  ForStatement: "block",
  ForInStatement: "block",
  ForOfStatement: "block",
  WhileStatement: "block",
  DoWhileStatement: "block",
  SwitchStatement: "block",
  TryStatement: "block",
  LabeledStatement: "block",
  TSModuleDeclaration: "block",
};

function topLevel(step: NodePath): CallPlacement {
  const parent = step.parent?.node;
  switch (parent?.type) {
    case "VariableDeclarator":
      return variablePlacement(parent, step.parent?.parent?.node);
    case "ExportDefaultDeclaration":
      return { placement: "default-export" };
    case "Property":
      return { placement: "object-member" };
    case "ArrayExpression":
      return { placement: "array-element" };
    default:
      return { placement: "expression" };
  }
}

function variablePlacement(declarator: ESTree.VariableDeclarator, statement: ESTree.Node | undefined): CallPlacement {
  if (declarator.id.type !== "Identifier") return { placement: "pattern" };
  const variable = declarator.id.name;
  const kind = statement?.type === "VariableDeclaration" ? statement.kind : "const";
  return { placement: kind === "await using" ? "using" : kind, variable };
}
