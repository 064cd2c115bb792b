import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { grouped } from "../../lib/grouped.ts";
import { isFunction } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { outermost, type Root } from "./alias.ts";
import { declareIn, openScope, type LexicalScope } from "./scope.ts";
import { isElementName, isValue, typeKeys, withoutNames } from "./value-position.ts";

export interface NodePath {
  readonly node: ESTree.Node;
  readonly parent: NodePath | undefined;
  /** The enclosing scope; undefined at the top level. */
  readonly scope: LexicalScope | undefined;
  /** True inside a function, whose code runs later. */
  readonly deferred: boolean;
}

/** A use of a top-level name, or of a module loaded with `import()`. */
export interface Reference {
  /** The top-level name, or the specifier of an `import()`. */
  readonly root: string | ESTree.Expression;
  /** Members read through aliases of the reference in inner scopes. */
  readonly path: readonly string[];
  readonly node: Root;
  /** The path of the enclosing node. */
  readonly step: NodePath;
  /** The scope in which the name is looked up. */
  readonly scope: LexicalScope | undefined;
}

/** The references in the code of a module, collected in one pass. */
export interface SymbolTable {
  /** In source order, without references to local names. */
  readonly references: readonly Reference[];
  /** By top-level name. */
  readonly byName: ReadonlyMap<string, readonly Reference[]>;
  readonly loads: readonly ESTree.ImportExpression[];
  /** Calls that run while the module loads. */
  readonly calls: readonly CallNode[];
}

export type CallNode = ESTree.CallExpression | ESTree.NewExpression | ESTree.TaggedTemplateExpression;

/** A top-level or local name used as a value, or an `import()`. */
export type NameUse = Pick<Reference, "node" | "step" | "scope">;

/** The names and calls that one pass over a module collects. */
interface ModuleNames {
  readonly uses: NameUse[];
  readonly loads: ESTree.ImportExpression[];
  readonly calls: CallNode[];
  readonly functions: Map<ESTree.Node, LexicalScope>;
}

/** Collects a module's names and calls. Not recursive, because sources may nest deeper than the call stack allows. */
export function collectNames(module: SourceModule): ModuleNames {
  const names: ModuleNames = { uses: [], loads: [], calls: [], functions: new Map() };
  const waiting: NodePath[] = [{ node: module.program, parent: undefined, scope: undefined, deferred: false }];
  for (let step = waiting.pop(); step; step = waiting.pop()) visit(names, waiting, step);
  return names;
}

export const symbolsOf: (module: SourceModule) => SymbolTable = cachedByObject((module) => {
  const names = collectNames(module);
  // A `var` may be declared after its first use, so names are resolved after the walk.
  const references = names.uses.flatMap((each) => referenceOf(module, each) ?? []);
  references.sort((one, other) => one.node.start - other.node.start);
  const byName = grouped(references.filter(isNamedReference), ({ root }) => root);
  return { references, byName, loads: names.loads.toSorted(byStart), calls: names.calls };
});

function isNamedReference(reference: Reference): reference is Reference & { readonly root: string } {
  return typeof reference.root === "string";
}

function byStart(one: ESTree.Span, other: ESTree.Span): number {
  return one.start - other.start;
}

function visit(names: ModuleNames, waiting: NodePath[], step: NodePath): void {
  const { node } = step;
  declareIn(step.scope, node);
  if (node.type === "ImportExpression") {
    names.loads.push(node);
    if (step.parent) names.uses.push({ node, step: step.parent, scope: step.scope });
  } else if (!step.deferred && isCalled(node)) names.calls.push(node);
  const scope = openScope(node, step.scope);
  if (scope && isFunction(node)) names.functions.set(node, scope);
  const deferred = step.deferred || runsLater(node);
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (typeKeys.has(key)) continue;
    const value = fields[key];
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) for (const each of value) enter(key, each);
    else enter(key, value);
  }

  function enter(key: string, value: unknown): void {
    if (typeof value !== "object" || value === null || !("type" in value)) return;
    const part = value as ESTree.Node;
    if (part.type === "Identifier") {
      if (isValue(step, key)) names.uses.push({ node: part, step, scope });
    } else if (part.type === "JSXIdentifier") {
      if (isElementName(node, key)) names.uses.push({ node: { ...part, type: "Identifier" }, step, scope });
    } else if (!withoutNames.has(part.type)) waiting.push({ node: part, parent: step, scope, deferred });
  }
}

function isCalled(node: ESTree.Node): node is CallNode {
  return node.type === "CallExpression" || node.type === "NewExpression" || node.type === "TaggedTemplateExpression";
}

/** True for a function, and for a property that each instance initializes. */
export function runsLater(node: ESTree.Node): boolean {
  return isFunction(node) || (node.type === "PropertyDefinition" && !node.static);
}

function referenceOf(module: SourceModule, use: NameUse): Reference | undefined {
  const origin = outermost(use.node, use.scope);
  if (origin === undefined) return undefined;
  const { root, keys: path } = origin;
  if (root.type === "ImportExpression") return { ...use, root: root.source, path };
  return module.bindings.has(root.name) || module.imports.has(root.name)
    ? { ...use, root: root.name, path }
    : undefined;
}
