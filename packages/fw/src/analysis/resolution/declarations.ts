import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { isDeclarationName, type DeclarationName } from "../../model/kinds.ts";
import { isExported } from "../source/exports.ts";
import { unwrapFrozen } from "../source/expression.ts";
import type { Binding, SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { isFramework } from "../source/resolve.ts";
import { keysTo } from "../symbols/alias.ts";
import { type NodePath, symbolsOf } from "../symbols/table.ts";
import { type Referent, ReferenceResolver } from "./reference-resolver.ts";
import { resolveName, type Resolved } from "./resolve-name.ts";
import { memberAccess } from "./member-access.ts";
import { type Placement, placementOf } from "./placement.ts";

/** A call of one of fw's declaring functions, anywhere in the code. */
export interface DeclarationCall {
  readonly name: DeclarationName;
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  readonly placement: Placement;
  /** The top-level variable that holds it. */
  readonly variable?: string;
  /** True if the module exports that variable, under any name. */
  readonly exported: boolean;
  /** The declaration whose argument contains it. */
  readonly inside?: DeclarationName;
}

/** Top-level names of a module that may lead to a declaring function. Most modules have none or one. */
export interface ImportAliases {
  readonly names: ReadonlySet<string>;
  /**
   * The functions behind the names, if all are imported directly from `fw`, so that no other module affects which calls
   * are declarations.
   */
  readonly functions: string | undefined;
}

/** Finds all declarations in a module in source order, including aliased and misplaced ones. */
export function declarationsIn(
  project: Project,
  module: SourceModule,
  { names }: ImportAliases = importAliases(project, module),
): readonly DeclarationCall[] {
  const calls = new Map<ESTree.Node, { readonly step: NodePath; readonly name: DeclarationName }>();
  for (const reference of names.size === 0 ? [] : symbolsOf(module).references) {
    const { root, path } = reference;
    if (typeof root !== "string" || !names.has(root)) continue;
    const { keys, node, around, isCalled: called } = memberAccess(project, module, reference);
    if (!called) continue;
    const name = declarationFunction(new ReferenceResolver(project).path(module, node, root, [...path, ...keys]));
    if (name !== undefined) calls.set(around.node, { step: around, name });
  }
  return Array.from(calls.values(), ({ step, name }) => describe(module, step, name, (call) => calls.get(call)?.name));
}

function describe(
  module: SourceModule,
  step: NodePath,
  name: DeclarationName,
  declarationOf: (node: ESTree.Node) => DeclarationName | undefined,
): DeclarationCall {
  const { placement, variable, call } = placementOf(step);
  const inside = call && declarationOf(call);
  return {
    name,
    module,
    call: step.node as ESTree.CallExpression,
    placement,
    ...(variable === undefined ? {} : { variable }),
    exported: variable !== undefined && isExported(module, variable),
    ...(inside === undefined ? {} : { inside }),
  };
}

function declarationFunction(referent: Referent): DeclarationName | undefined {
  return referent.kind === "fw" && isDeclarationName(referent.name) ? referent.name : undefined;
}

/** Finds the names of a module that may lead to a declaring function. */
export function importAliases(project: Project, module: SourceModule): ImportAliases {
  const { imported, alone, open } = candidatesOf(project, module);
  const others = new Map<string, Resolved>();
  for (const name of open) {
    const resolved = resolveName(project, module, name);
    if (isAlias(project, resolved)) others.set(name, resolved);
  }
  return others.size === 0 ? alone : aliases(new Map([...imported, ...others]));
}

/** The names that may be aliases, cached by module. */
interface Candidates {
  /** Imports of declaring functions from `fw`. */
  readonly imported: ReadonlyMap<string, Resolved>;
  /** The result if no other name turns out to be an alias. */
  readonly alone: ImportAliases;
  /** Names whose meaning depends on other modules. */
  readonly open: readonly string[];
}

const candidates = new WeakMap<SourceModule, Candidates>();

function candidatesOf(project: Project, module: SourceModule): Candidates {
  const cached = candidates.get(module);
  if (cached) return cached;
  const imported = new Map<string, Resolved>();
  const open: string[] = [];
  for (const [name, { specifier }] of module.imports) {
    const resolved = isFramework(specifier) ? resolveName(project, module, name) : undefined;
    if (resolved?.kind !== "fw") open.push(name);
    else if (isAlias(project, resolved)) imported.set(name, resolved);
  }
  if (module.imports.size > 0)
    for (const binding of module.bindings.values()) if (mayAlias(module, binding)) open.push(binding.name);
  const names = { imported, alone: aliases(imported), open };
  candidates.set(module, names);
  return names;
}

function aliases(names: ReadonlyMap<string, Resolved>): ImportAliases {
  const functions = Array.from(names, ([name, resolved]) => isFunctionOfFw(resolved) && `${name} ${resolved.name}`);
  return { names: new Set(names.keys()), functions: functions.includes(false) ? undefined : functions.join() };
}

function isFunctionOfFw(resolved: Resolved): resolved is Resolved & { readonly kind: "fw" } {
  return resolved.kind === "fw" && resolved.name !== "*";
}

function isAlias(project: Project, resolved: Resolved): boolean {
  switch (resolved.kind) {
    case "fw":
      return resolved.name === "*" || isDeclarationName(resolved.name);
    case "namespace":
      return exportsAliases(resolved.module);
    case "binding":
      return (
        mayAlias(resolved.module, resolved.binding) &&
        resolved.module.imports.size > 0 &&
        referentAliases(project, resolved)
      );
    case "expression":
      return referentAliases(project, resolved);
    default:
      return false;
  }
}

/** True if a resolved reference leads to an alias of a declaring function. */
function referentAliases(project: Project, resolved: Resolved & { readonly module: SourceModule }): boolean {
  const referent = new ReferenceResolver(project).resolved(resolved.module, resolved.module.program, resolved);
  if (referent.kind === "expression") return isLiteral(referent);
  return (referent.kind === "fw" || referent.kind === "namespace") && isAlias(project, referent);
}

function isLiteral({ module, node }: SourceNode): boolean {
  const { type } = unwrapFrozen(module, node);
  return type === "ObjectExpression" || type === "ArrayExpression";
}

/**
 * True if an export of a module may lead to a declaring function: it re-exports names of other modules, or exports a
 * possible alias.
 */
export const exportsAliases: (module: SourceModule) => boolean = cachedByObject((module) => {
  if (module.stars.length > 0) return true;
  return [...module.exports.values()].some((each) => {
    const binding = each.kind === "local" ? module.bindings.get(each.name) : undefined;
    return binding === undefined || mayAlias(module, binding);
  });
});

/**
 * True for a variable that may lead to a declaring function, as in `const A = API`, `const lib = { API }` and
 * `const { API } = fw`.
 */
function mayAlias(module: SourceModule, binding: Binding): boolean {
  if (binding.kind === "pattern")
    return binding.node.init !== null && keysTo(binding.node.id, binding.name) !== undefined;
  return binding.kind === "variable" && binding.node.init !== null && holdsReference(module, binding.node.init);
}

/** Maximum depth of nested literals to search. */
const maxDepth = 20;

function holdsReference(module: SourceModule, node: ESTree.Node, depth = 0): boolean {
  const bare = unwrapFrozen(module, node);
  const holds = (each: ESTree.Node): boolean => depth < maxDepth && holdsReference(module, each, depth + 1);
  switch (bare.type) {
    case "Identifier":
    case "MemberExpression":
      return true;
    case "ConditionalExpression":
      return holds(bare.consequent) && holds(bare.alternate);
    case "LogicalExpression":
      return holds(bare.left) && holds(bare.right);
    case "ObjectExpression":
      return bare.properties.some((each) => each.type === "SpreadElement" || holds(each.value));
    case "ArrayExpression":
      return bare.elements.some((each) => each !== null && each.type !== "SpreadElement" && holds(each));
    default:
      return false;
  }
}
