import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import { isFunction } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { outermost, type Root } from "./alias.ts";
import { declareIn, openScope, type Scope } from "./scope.ts";
import { isElementName, isValue, typeKeys, withoutNames } from "./value-position.ts";

/** One node on the way down from the program. */
export interface Step {
  readonly node: ESTree.Node;
  readonly parent: Step | undefined;
  /** The scope around the node; undefined at the top level. */
  readonly scope: Scope | undefined;
  /** True inside of a function, which runs when it is called. */
  readonly deferred: boolean;
}

/** A place that stands for something of the module's top level, or for a module that `import()` loads. */
export interface Reference {
  /** The name of the top level; or the specifier of an `import()`. */
  readonly root: string | ESTree.Expression;
  /** The members of it that constants of inner scopes, by which it is named here, stand for. */
  readonly path: readonly string[];
  readonly node: Root;
  /** The node around it. */
  readonly step: Step;
  /** The scope that it is looked up from. */
  readonly scope: Scope | undefined;
}

/** What the code of a module refers to, worked out in one pass over it. */
export interface SymbolTable {
  /** In source order. Of the names that mean nothing of the top level there are none. */
  readonly references: readonly Reference[];
  /** By name of the top level. */
  readonly byName: ReadonlyMap<string, readonly Reference[]>;
  /** Each `import()`. */
  readonly loads: readonly ESTree.ImportExpression[];
  /** Calls that run while the module is loaded. */
  readonly calls: readonly Called[];
}

export type Called = ESTree.CallExpression | ESTree.NewExpression | ESTree.TaggedTemplateExpression;

const tables = new WeakMap<SourceModule, SymbolTable>();

export function symbolsOf(module: SourceModule): SymbolTable {
  const known = tables.get(module);
  if (known) return known;
  const table = read(module);
  tables.set(module, table);
  return table;
}

/** A name in the place of a value, whatever it means. */
export type Named = Pick<Reference, "node" | "step" | "scope">;

/** What one pass over a module finds. */
interface Found {
  readonly named: Named[];
  readonly loads: ESTree.ImportExpression[];
  readonly calls: Called[];
  /** The scope that each function opens. */
  readonly functions: Map<ESTree.Node, Scope>;
}

/** Needs no stack: sources may be nested deeper than JavaScript calls can be. */
export function passOver(module: SourceModule): Found {
  const found: Found = { named: [], loads: [], calls: [], functions: new Map() };
  const waiting: Step[] = [{ node: module.program, parent: undefined, scope: undefined, deferred: false }];
  for (let step = waiting.pop(); step; step = waiting.pop()) visit(found, waiting, step);
  return found;
}

function read(module: SourceModule): SymbolTable {
  const found = passOver(module);
  // A `var` may be declared behind its first use: names are looked up when all are known.
  const references = found.named.flatMap((each) => referenceOf(module, each) ?? []);
  references.sort((one, other) => one.node.start - other.node.start);
  const byName = grouped(references.filter(isNamed), ({ root }) => root);
  return { references, byName, loads: found.loads.toSorted(byStart), calls: found.calls };
}

function isNamed(reference: Reference): reference is Reference & { readonly root: string } {
  return typeof reference.root === "string";
}

function byStart(one: ESTree.Span, other: ESTree.Span): number {
  return one.start - other.start;
}

function visit(found: Found, waiting: Step[], step: Step): void {
  const { node } = step;
  declareIn(step.scope, node);
  if (node.type === "ImportExpression") {
    found.loads.push(node);
    if (step.parent) found.named.push({ node, step: step.parent, scope: step.scope });
  } else if (!step.deferred && isCalled(node)) found.calls.push(node);
  const scope = openScope(node, step.scope);
  if (scope && isFunction(node)) found.functions.set(node, scope);
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
      if (isValue(step, key)) found.named.push({ node: part, step, scope });
    } else if (part.type === "JSXIdentifier") {
      if (isElementName(node, key)) found.named.push({ node: { ...part, type: "Identifier" }, step, scope });
    } else if (!withoutNames.has(part.type)) waiting.push({ node: part, parent: step, scope, deferred });
  }
}

function isCalled(node: ESTree.Node): node is Called {
  return node.type === "CallExpression" || node.type === "NewExpression" || node.type === "TaggedTemplateExpression";
}

/** True for a function, and for a property that each instance has. */
export function runsLater(node: ESTree.Node): boolean {
  return isFunction(node) || (node.type === "PropertyDefinition" && !node.static);
}

function referenceOf(module: SourceModule, named: Named): Reference | undefined {
  const origin = outermost(named.node, named.scope);
  if (origin === undefined) return undefined;
  const { root, keys: path } = origin;
  if (root.type === "ImportExpression") return { ...named, root: root.source, path };
  return module.bindings.has(root.name) || module.imports.has(root.name)
    ? { ...named, root: root.name, path }
    : undefined;
}
