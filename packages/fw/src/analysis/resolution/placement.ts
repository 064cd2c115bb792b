import type { ESTree } from "rolldown/utils";
import { isWrapper } from "../source/expression.ts";
import type { NodePath } from "../symbols/table.ts";

/** Where a declaration is written. Only `const` is where one belongs: a `const` of the module's top level. */
export type Placement =
  | "const"
  | "let"
  | "var"
  | "using"
  /** Taken apart by a pattern: `const { call } = API(…)`. */
  | "pattern"
  | "function"
  | "class"
  /** A block, a loop, a condition or a namespace of the top level. */
  | "block"
  | "object-member"
  | "array-element"
  /** An argument of another call, or a part of one. */
  | "argument"
  | "default-export"
  /** A statement of its own, or part of a larger expression. */
  | "expression";

export interface Placed {
  readonly placement: Placement;
  /** The variable of the top level that holds it. */
  readonly variable?: string;
  /** For an argument: the call that it is an argument of. */
  readonly call?: ESTree.CallExpression;
}

/** Where a call stands, judged by what is around it. */
export function placementOf(step: NodePath): Placed {
  const outer = outermost(step);
  const call = callAround(outer);
  if (call) return { placement: "argument", call };
  const around = surroundings(outer);
  if (around) return { placement: around };
  return topLevel(outer);
}

/** The step of a node together with the parentheses and type assertions around it. */
function outermost(step: NodePath): NodePath {
  let outer = step;
  while (outer.parent && isWrapper(outer.parent.node)) outer = outer.parent;
  return outer;
}

/** The call whose argument this is, also inside the literal or the choice that is one. */
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

/** What keeps a call from the top level, the innermost that says most. */
function surroundings(step: NodePath): Placement | undefined {
  let found: Placement | undefined;
  for (let parent = step.parent; parent; parent = parent.parent) {
    const kind = containers[parent.node.type];
    if (kind === "function") return kind;
    if (kind === "class" || found === undefined) found = kind ?? found;
  }
  return found;
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

function topLevel(step: NodePath): Placed {
  const parent = step.parent?.node;
  switch (parent?.type) {
    case "VariableDeclarator":
      return held(parent, step.parent?.parent?.node);
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

function held(declarator: ESTree.VariableDeclarator, statement: ESTree.Node | undefined): Placed {
  if (declarator.id.type !== "Identifier") return { placement: "pattern" };
  const variable = declarator.id.name;
  const kind = statement?.type === "VariableDeclaration" ? statement.kind : "const";
  return { placement: kind === "await using" ? "using" : kind, variable };
}
