import type { DeclaredModule } from "../declared.ts";
import { circularNeeds, type Needs } from "./load-needs.ts";
import { importedBy } from "../source/imports.ts";
import type { Project } from "../source/project.ts";

/**
 * Paths of the modules to load before all others, in turn, so that of modules that import each other each finds what it needs
 * while it is loaded: JavaScript loads what is imported first, but for what it has begun to load already. None where no
 * modules need that, or where nothing helps.
 */
export function loadFirst(project: Project, modules: readonly DeclaredModule[]): readonly string[] {
  const needs = circularNeeds(project, modules);
  if ([...needs.values()].every((each) => each.length === 0)) return [];
  const inCircles = modules.flatMap(({ module }) => (needs.has(module.path) ? [module] : []));
  const imports = new Map(inCircles.map((module) => [module.path, importedBy(project, module).loaded] as const));
  const order: string[] = [];
  const loaded = new Set<string>();
  for (let next: string | undefined = ""; next !== undefined;) {
    next = [...needs.keys()].find((path) => !loaded.has(path) && loads(path, imports, needs, loaded));
    if (next !== undefined) order.push(next);
  }
  return order;
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
