import type { ESTree } from "rolldown/utils";
import type { DeclaredModule } from "./declared.ts";
import { lookup } from "./meaning/meaning.ts";
import { loadedPaths } from "./source/imports.ts";
import type { SourceModule } from "./source/module.ts";
import type { Project } from "./source/project.ts";
import { referencesIn } from "./source/references.ts";
import { walk, type Step } from "./source/walk.ts";

/** A name that a module reads while it is loaded, and the path of the module that must have been loaded before. */
export interface Need {
  readonly module: SourceModule;
  readonly node: ESTree.IdentifierReference;
  readonly from: string;
}

/** By the path of the module that has them. */
export type Needs = ReadonlyMap<string, readonly Need[]>;

/**
 * What modules that import each other in a circle need while they are loaded; most applications have no such modules. Those
 * that no declaration reaches are left out.
 */
export function circularNeeds(project: Project, modules: readonly DeclaredModule[]): Needs {
  const imports = new Map(modules.map(({ module }) => [module.path, loadedPaths(project, module)] as const));
  const reached = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  for (const path of reached) for (const imported of imports.get(path) ?? []) reached.add(imported);
  const around = circular(imports);
  const inCircles = modules.filter(({ module: { path } }) => around.has(path) && reached.has(path));
  return new Map(inCircles.map(({ module }) => [module.path, needsOf(project, module)]));
}

/** The keys that lead back to themselves, and those on a way between such. */
export function circular(leads: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const back = new Map<string, string[]>();
  for (const [from, each] of leads) for (const to of each) back.set(to, [...(back.get(to) ?? []), from]);
  return endless(back, endless(leads, new Set(leads.keys())));
}

/** Those of the keys from which one can go on for ever. */
function endless(leads: ReadonlyMap<string, readonly string[]>, keys: ReadonlySet<string>): ReadonlySet<string> {
  const left = new Set(keys);
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    for (const key of left) if (!leads.get(key)?.some((to) => left.has(to))) left.delete(key);
  }
  return left;
}

const found = new WeakMap<SourceModule, readonly ESTree.IdentifierReference[]>();

function needsOf(project: Project, module: SourceModule): readonly Need[] {
  const nodes = found.get(module) ?? readWhileLoading(module);
  found.set(module, nodes);
  return nodes.flatMap((node) => {
    const meaning = lookup(project, module, node.name);
    const isThere = meaning.kind === "binding" && ["function", "type"].includes(meaning.binding.kind);
    if (isThere || (meaning.kind !== "binding" && meaning.kind !== "expression")) return [];
    return [{ module, node, from: meaning.module.path }];
  });
}

/** The imported names that a module's top level reads, outside of what runs later. */
function readWhileLoading(module: SourceModule): readonly ESTree.IdentifierReference[] {
  const imported = new Set(module.imports.keys());
  const later = new Set<Step>();
  const read: ESTree.IdentifierReference[] = [];
  walk(module.program, imported, (step) => {
    const { node, parent, shadowed } = step;
    if (parent !== undefined && (later.has(parent) || runsLater(parent.node, node))) later.add(step);
    else if (!isFunction(node) && !isInstanceProperty(node))
      read.push(...referencesIn(node).filter(({ name }) => imported.has(name) && !shadowed.has(name)));
  });
  return read.toSorted((a, b) => a.start - b.start);
}

/** True for what is inside of a function, and for the value of a property that each instance has. */
function runsLater(parent: ESTree.Node, node: ESTree.Node): boolean {
  return isFunction(parent) || (isInstanceProperty(parent) && node === parent.value);
}

function isInstanceProperty(node: ESTree.Node): node is ESTree.PropertyDefinition {
  return node.type === "PropertyDefinition" && !node.static;
}

function isFunction({ type }: ESTree.Node): boolean {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);
}
