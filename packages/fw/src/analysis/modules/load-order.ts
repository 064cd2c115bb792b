import type { LoadOrder } from "../../model/app.ts";
import type { DeclaredModule } from "../declared.ts";
import { circularNeeds, type LoadNeed, type LoadNeeds } from "./load-needs.ts";
import { importedBy } from "../source/imports.ts";
import type { Project } from "../source/project.ts";

/**
 * Returns an order in which modules that import each other can load, so that each finds the values it needs. JavaScript
 * evaluates imports first, except imports already loading. Undefined if no module needs an order or no order works.
 */
export function loadOrder(project: Project, modules: readonly DeclaredModule[]): LoadOrder | undefined {
  const needs = circularNeeds(project, modules);
  if (hasNoNeeds(needs)) return undefined;
  const imports = importsOf(project, modules, needs);
  const { first } = firstModules(needs, imports);
  return first.length === 0 ? undefined : { first, imports: Object.fromEntries(imports) };
}

/**
 * Lists reads that no order can satisfy even without cyclic reads: the modules read values of a module that imports all
 * of them.
 */
export function needsWithoutOrder(project: Project, modules: readonly DeclaredModule[]): readonly LoadNeed[] {
  const needs = circularNeeds(project, modules);
  if (hasNoNeeds(needs)) return [];
  const { loadedPaths: loaded } = firstModules(needs, importsOf(project, modules, needs));
  return [...needs].flatMap(([path, each]) => (loaded.has(path) ? [] : each.filter(({ from }) => !loaded.has(from))));
}

function hasNoNeeds(needs: LoadNeeds): boolean {
  return [...needs.values()].every((each) => each.length === 0);
}

/** Returns the imports of each module in a cycle, in source order. */
function importsOf(
  project: Project,
  modules: readonly DeclaredModule[],
  needs: LoadNeeds,
): ReadonlyMap<string, readonly string[]> {
  const inCycles = modules.flatMap(({ module }) => (needs.has(module.path) ? [module] : []));
  return new Map(inCycles.map((module) => [module.path, [...importedBy(project, module).loaded]] as const));
}

function firstModules(
  needs: LoadNeeds,
  imports: ReadonlyMap<string, readonly string[]>,
): { readonly first: readonly string[]; readonly loadedPaths: ReadonlySet<string> } {
  const first: string[] = [];
  const loadedPaths = new Set<string>();
  for (let next: string | undefined = ""; next !== undefined;) {
    next = [...needs.keys()].find((path) => !loadedPaths.has(path) && simulateLoad(path, imports, needs, loadedPaths));
    if (next !== undefined) first.push(next);
  }
  return { first, loadedPaths };
}

/**
 * Simulates loading a module with its imports. Returns false, and loads nothing, if one of them reads a value early.
 */
function simulateLoad(
  path: string,
  imports: ReadonlyMap<string, Iterable<string>>,
  needs: LoadNeeds,
  loadedPaths: Set<string>,
): boolean {
  const startedPaths = new Set([path]);
  const evaluated = new Set<string>();
  const isThere = (module: string): boolean => !needs.has(module) || loadedPaths.has(module) || evaluated.has(module);
  const stack = [{ path, remaining: [...(imports.get(path) ?? [])] }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.remaining.shift();
    if (next === undefined) {
      if (!needs.get(top.path)?.every(({ from }) => isThere(from))) return false;
      evaluated.add(top.path);
      stack.pop();
    } else if (needs.has(next) && !loadedPaths.has(next) && !startedPaths.has(next)) {
      startedPaths.add(next);
      stack.push({ path: next, remaining: [...(imports.get(next) ?? [])] });
    }
  }
  for (const each of evaluated) loadedPaths.add(each);
  return true;
}
