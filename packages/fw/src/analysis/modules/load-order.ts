import type { LoadOrder } from "../../model/app.ts";
import type { DeclaredModule } from "../declared.ts";
import { circularNeeds, type Need, type Needs } from "./load-needs.ts";
import { importedBy } from "../source/imports.ts";
import type { Project } from "../source/project.ts";

/**
 * The order in which modules that import each other can be loaded, so that each finds what it needs while it loads:
 * JavaScript evaluates imports first, except modules whose loading has already begun. Undefined where no module needs
 * an order, or where no order works.
 */
export function loadOrder(project: Project, modules: readonly DeclaredModule[]): LoadOrder | undefined {
  const needs = circularNeeds(project, modules);
  if (isFree(needs)) return undefined;
  const imports = importsOf(project, modules, needs);
  const { first } = firstModules(needs, imports);
  return first.length === 0 ? undefined : { first, imports: Object.fromEntries(imports) };
}

/**
 * The needs of modules that no order can load, where no modules need each other: something that both need imports two
 * of them.
 */
export function needsWithoutOrder(project: Project, modules: readonly DeclaredModule[]): readonly Need[] {
  const needs = circularNeeds(project, modules);
  if (isFree(needs)) return [];
  const { loaded } = firstModules(needs, importsOf(project, modules, needs));
  return [...needs].flatMap(([path, each]) => (loaded.has(path) ? [] : each.filter(({ from }) => !loaded.has(from))));
}

function isFree(needs: Needs): boolean {
  return [...needs.values()].every((each) => each.length === 0);
}

/** The modules that each module of a cycle loads, in the order of its imports. */
function importsOf(
  project: Project,
  modules: readonly DeclaredModule[],
  needs: Needs,
): ReadonlyMap<string, readonly string[]> {
  const inCycles = modules.flatMap(({ module }) => (needs.has(module.path) ? [module] : []));
  return new Map(inCycles.map((module) => [module.path, [...importedBy(project, module).loaded]] as const));
}

function firstModules(
  needs: Needs,
  imports: ReadonlyMap<string, readonly string[]>,
): { readonly first: readonly string[]; readonly loaded: ReadonlySet<string> } {
  const first: string[] = [];
  const loaded = new Set<string>();
  for (let next: string | undefined = ""; next !== undefined;) {
    next = [...needs.keys()].find((path) => !loaded.has(path) && loads(path, imports, needs, loaded));
    if (next !== undefined) first.push(next);
  }
  return { first, loaded };
}

/** Loads a module and what it imports; false, with nothing loaded, where one of them would not find what it needs. */
function loads(
  path: string,
  imports: ReadonlyMap<string, Iterable<string>>,
  needs: Needs,
  loaded: Set<string>,
): boolean {
  const begun = new Set([path]);
  const ended = new Set<string>();
  const isThere = (module: string): boolean => !needs.has(module) || loaded.has(module) || ended.has(module);
  const under = [{ path, left: [...(imports.get(path) ?? [])] }];
  for (let top = under.at(-1); top !== undefined; top = under.at(-1)) {
    const next = top.left.shift();
    if (next === undefined) {
      if (!needs.get(top.path)?.every(({ from }) => isThere(from))) return false;
      ended.add(top.path);
      under.pop();
    } else if (needs.has(next) && !loaded.has(next) && !begun.has(next)) {
      begun.add(next);
      under.push({ path: next, left: [...(imports.get(next) ?? [])] });
    }
  }
  for (const each of ended) loaded.add(each);
  return true;
}
