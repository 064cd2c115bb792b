import type { ESTree } from "rolldown/utils";
import type { DeclaredModule } from "../declared.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { runsLater, symbolsOf } from "../symbols/table.ts";

/** A name that a module reads during its load, with the path of the module that must be evaluated first. */
export interface LoadNeed {
  readonly module: SourceModule;
  readonly node: ESTree.IdentifierReference;
  readonly from: string;
}

/** Keyed by the path of the reading module. */
export type LoadNeeds = ReadonlyMap<string, readonly LoadNeed[]>;

/**
 * Lists the names that modules in import cycles read during their load. Ignores modules that no declaration reaches.
 */
export function circularNeeds(project: Project, modules: readonly DeclaredModule[]): LoadNeeds {
  const cached = cache.get(modules);
  if (cached !== undefined) return cached;
  const needs = findNeeds(project, modules);
  cache.set(modules, needs);
  return needs;
}

/** Cached, because two checks ask for the same modules. */
const cache = new WeakMap<readonly DeclaredModule[], LoadNeeds>();

function findNeeds(project: Project, modules: readonly DeclaredModule[]): LoadNeeds {
  const imports = new Map(modules.map(({ module }) => [module.path, importedBy(project, module).loaded] as const));
  if (!hasCycle(imports)) return new Map();
  const cyclic = cyclicNodes(imports);
  const reachable = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  for (const path of reachable) for (const imported of imports.get(path) ?? []) reachable.add(imported);
  const cyclicModules = modules.filter(({ module: { path } }) => cyclic.has(path) && reachable.has(path));
  return new Map(cyclicModules.map(({ module }) => [module.path, needsOf(project, module)]));
}

/** True if the graph has a cycle. Fast, because it runs after every save and most applications have no cycle. */
function hasCycle(graph: Graph): boolean {
  const done = new Set<string>();
  const ancestors = new Set<string>();
  const waiting: string[] = [];
  for (const start of graph.keys()) {
    waiting.push(start);
    for (let at = waiting.at(-1); at !== undefined; at = waiting.at(-1)) {
      if (done.has(at) || ancestors.has(at)) {
        if (ancestors.delete(at)) done.add(at);
        waiting.pop();
        continue;
      }
      ancestors.add(at);
      for (const to of graph.get(at) ?? []) {
        if (ancestors.has(to)) return true;
        if (!done.has(to)) waiting.push(to);
      }
    }
  }
  return false;
}

type Graph = ReadonlyMap<string, Iterable<string>>;

/** Returns the nodes of a graph that are part of a cycle, or on a path between cycles. */
export function cyclicNodes(graph: Graph): ReadonlySet<string> {
  const back = reverse(graph);
  return nodesWithoutEnd(back, graph, nodesWithoutEnd(graph, back, new Set(graph.keys())));
}

/** Returns the `keys` with an endless path within `keys`; `back` has the edges reversed. */
function nodesWithoutEnd(graph: Graph, back: Graph, keys: ReadonlySet<string>): ReadonlySet<string> {
  const remaining = new Set(keys);
  const openEdges = new Map<string, number>();
  for (const key of keys) openEdges.set(key, [...(graph.get(key) ?? [])].filter((to) => keys.has(to)).length);
  const removed = [...keys].filter((key) => openEdges.get(key) === 0);
  for (const key of removed) {
    remaining.delete(key);
    for (const from of back.get(key) ?? []) {
      const more = (openEdges.get(from) ?? 0) - 1;
      openEdges.set(from, more);
      if (more === 0) removed.push(from);
    }
  }
  return remaining;
}

function reverse(graph: Graph): Graph {
  const back = new Map<string, string[]>();
  for (const [from, each] of graph) {
    for (const to of each) {
      const sources = back.get(to);
      if (sources === undefined) back.set(to, [from]);
      else sources.push(from);
    }
  }
  return back;
}

function needsOf(project: Project, module: SourceModule): readonly LoadNeed[] {
  return readWhileLoading(module).flatMap((node) => {
    const resolved = resolveName(project, module, node.name);
    const isThere = resolved.kind === "binding" && ["function", "type"].includes(resolved.binding.kind);
    if (isThere || (resolved.kind !== "binding" && resolved.kind !== "expression")) return [];
    return [{ module, node, from: resolved.module.path }];
  });
}

/** Returns the imported names that a module's top level reads during its load. */
function readWhileLoading(module: SourceModule): readonly ESTree.IdentifierReference[] {
  return symbolsOf(module).references.flatMap(({ root, node, step }) => {
    if (node.type !== "Identifier" || node.name !== root || !module.imports.has(root)) return [];
    return step.deferred || runsLater(step.node) ? [] : [node as ESTree.IdentifierReference];
  });
}
