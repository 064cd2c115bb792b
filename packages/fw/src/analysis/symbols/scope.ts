import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";

/** The names of a function, a class, a namespace or a block. The top level of a module is none: its names are the module's. */
export interface Scope {
  readonly parent: Scope | undefined;
  /** True where a `var` inside belongs. */
  readonly holdsVar: boolean;
  /** Each with the declarator that binds it, where it is a variable. */
  readonly names: Map<string, Local>;
}

export interface Local {
  readonly declarator: ESTree.VariableDeclarator | undefined;
  readonly kind: ESTree.VariableDeclaration["kind"] | undefined;
}

const notVariable: Local = { declarator: undefined, kind: undefined };

/** The scope that a node opens for what is inside it; the one around it where it opens none. */
export function openScope(node: ESTree.Node, parent: Scope | undefined): Scope | undefined {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return withNames(scope(parent, true), [
        ...(node.type === "FunctionExpression" && node.id ? [node.id.name] : []),
        ...node.params.flatMap(patternNames),
      ]);
    case "ClassExpression":
      return node.id ? withNames(scope(parent, false), [node.id.name]) : parent;
    case "StaticBlock":
    case "TSModuleBlock":
      return scope(parent, true);
    case "BlockStatement":
    case "SwitchStatement":
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
      return scope(parent, false);
    case "CatchClause":
      return node.param ? withNames(scope(parent, false), patternNames(node.param)) : parent;
    default:
      return parent;
  }
}

function scope(parent: Scope | undefined, holdsVar: boolean): Scope {
  return { parent, holdsVar, names: new Map() };
}

function withNames(opened: Scope, names: readonly string[]): Scope {
  for (const name of names) opened.names.set(name, notVariable);
  return opened;
}

/** Adds what a statement declares to the scope that it belongs to; what belongs to the top level is the module's. */
export function declareIn(inner: Scope | undefined, node: ESTree.Node): void {
  switch (node.type) {
    case "VariableDeclaration": {
      const owner = node.kind === "var" ? holderOfVar(inner) : inner;
      for (const declarator of owner ? node.declarations : [])
        for (const name of patternNames(declarator.id)) owner?.names.set(name, { declarator, kind: node.kind });
      return;
    }
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      if (node.id) inner?.names.set(node.id.name, notVariable);
      return;
    case "TSModuleDeclaration":
    case "TSImportEqualsDeclaration":
      if (node.id.type === "Identifier") inner?.names.set(node.id.name, notVariable);
      return;
    default:
  }
}

function holderOfVar(inner: Scope | undefined): Scope | undefined {
  let at = inner;
  while (at && !at.holdsVar) at = at.parent;
  return at;
}

/** The scope that has the name, from the inside out; undefined for a name of the top level, and for one of nobody. */
export function scopeOf(inner: Scope | undefined, name: string): Scope | undefined {
  let at = inner;
  while (at && !at.names.has(name)) at = at.parent;
  return at;
}
