import type { ESTree } from "rolldown/utils";
import type { DeclaredModule } from "../declared.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { runsLater, symbolsOf } from "../symbols/table.ts";

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
  const known = kept.get(modules);
  if (known !== undefined) return known;
  const needs = findNeeds(project, modules);
  kept.set(modules, needs);
  return needs;
}

/** The answer is asked for twice. */
const kept = new WeakMap<readonly DeclaredModule[], Needs>();

function findNeeds(project: Project, modules: readonly DeclaredModule[]): Needs {
  const imports = new Map(modules.map(({ module }) => [module.path, importedBy(project, module).loaded] as const));
  if (!hasCircle(imports)) return new Map();
  const around = circular(imports);
  const reached = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  for (const path of reached) for (const imported of imports.get(path) ?? []) reached.add(imported);
  const inCircles = modules.filter(({ module: { path } }) => around.has(path) && reached.has(path));
  return new Map(inCircles.map(({ module }) => [module.path, needsOf(project, module)]));
}

/** Whether one comes back to where one was: what every save asks, and most applications answer with no. */
function hasCircle(leads: Ways): boolean {
  const done = new Set<string>();
  const under = new Set<string>();
  const waiting: string[] = [];
  for (const start of leads.keys()) {
    waiting.push(start);
    for (let at = waiting.at(-1); at !== undefined; at = waiting.at(-1)) {
      if (done.has(at) || under.has(at)) {
        if (under.delete(at)) done.add(at);
        waiting.pop();
        continue;
      }
      under.add(at);
      for (const to of leads.get(at) ?? []) {
        if (under.has(to)) return true;
        if (!done.has(to)) waiting.push(to);
      }
    }
  }
  return false;
}

type Ways = ReadonlyMap<string, Iterable<string>>;

/** The keys that lead back to themselves, and those on a way between such. */
export function circular(leads: Ways): ReadonlySet<string> {
  const back = reversed(leads);
  return endless(back, leads, endless(leads, back, new Set(leads.keys())));
}

/** Those of the keys from which one can go on for ever; `back` is the ways the other way round. */
function endless(leads: Ways, back: Ways, keys: ReadonlySet<string>): ReadonlySet<string> {
  const left = new Set(keys);
  const open = new Map<string, number>();
  for (const key of keys) open.set(key, [...(leads.get(key) ?? [])].filter((to) => keys.has(to)).length);
  const ended = [...keys].filter((key) => open.get(key) === 0);
  for (const key of ended) {
    left.delete(key);
    for (const from of back.get(key) ?? []) {
      const more = (open.get(from) ?? 0) - 1;
      open.set(from, more);
      if (more === 0) ended.push(from);
    }
  }
  return left;
}

function reversed(leads: Ways): Ways {
  const back = new Map<string, string[]>();
  for (const [from, each] of leads) {
    for (const to of each) {
      const known = back.get(to);
      if (known === undefined) back.set(to, [from]);
      else known.push(from);
    }
  }
  return back;
}

function needsOf(project: Project, module: SourceModule): readonly Need[] {
  return readWhileLoading(module).flatMap((node) => {
    const resolved = resolveName(project, module, node.name);
    const isThere = resolved.kind === "binding" && ["function", "type"].includes(resolved.binding.kind);
    if (isThere || (resolved.kind !== "binding" && resolved.kind !== "expression")) return [];
    return [{ module, node, from: resolved.module.path }];
  });
}

/** Where a module's top level reads imported names, outside of what runs later. */
function readWhileLoading(module: SourceModule): readonly ESTree.IdentifierReference[] {
  return symbolsOf(module).references.flatMap(({ root, node, step }) => {
    if (node.type !== "Identifier" || node.name !== root || !module.imports.has(root)) return [];
    return step.deferred || runsLater(step.node) ? [] : [node as ESTree.IdentifierReference];
  });
}
