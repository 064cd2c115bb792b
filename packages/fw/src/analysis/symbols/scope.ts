import type { ESTree } from "rolldown/utils";
import { patternNames } from "../source/names.ts";

/**
 * The names of a function, class, namespace or block. A module's top level has no scope: its names are the module's
 * bindings.
 */
export interface LexicalScope {
  readonly parent: LexicalScope | undefined;
  /** True if a `var` inside belongs to this scope rather than an outer one. */
  readonly isVarScope: boolean;
  /** The names that the scope declares. The bindings of variables include their declarators. */
  readonly names: Map<string, LocalBinding>;
}

export interface LocalBinding {
  readonly declarator: ESTree.VariableDeclarator | undefined;
  readonly kind: ESTree.VariableDeclaration["kind"] | undefined;
}

const notVariable: LocalBinding = { declarator: undefined, kind: undefined };

/** Returns the scope that a node opens, or the enclosing scope if it opens none. */
export function openScope(node: ESTree.Node, parent: LexicalScope | undefined): LexicalScope | undefined {
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

function scope(parent: LexicalScope | undefined, holdsVar: boolean): LexicalScope {
  return { parent, isVarScope: holdsVar, names: new Map() };
}

function withNames(target: LexicalScope, names: readonly string[]): LexicalScope {
  for (const name of names) target.names.set(name, notVariable);
  return target;
}

/** Adds the names that a statement declares to their scope. The module handles top-level names. */
export function declareIn(inner: LexicalScope | undefined, node: ESTree.Node): void {
  switch (node.type) {
    case "VariableDeclaration": {
      const owner = node.kind === "var" ? varScopeOf(inner) : inner;
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

function varScopeOf(inner: LexicalScope | undefined): LexicalScope | undefined {
  let at = inner;
  while (at && !at.isVarScope) at = at.parent;
  return at;
}

/** Finds the innermost scope with the name; undefined for top-level and unknown names. */
export function scopeOf(inner: LexicalScope | undefined, name: string): LexicalScope | undefined {
  let at = inner;
  while (at && !at.names.has(name)) at = at.parent;
  return at;
}
