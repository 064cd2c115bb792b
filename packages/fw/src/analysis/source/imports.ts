import type { ModuleRequest, SourceModule } from "./module.ts";
import type { Project } from "./project.ts";
import { isFramework } from "./resolve.ts";

/** The imports of a module. Application modules appear by path. */
interface ModuleImports {
  readonly all: ReadonlySet<string>;
  /** Imports that load with the module, in source order. */
  readonly loaded: ReadonlySet<string>;
  /** Imports for side effects only: `import "./setup.ts"`. */
  readonly bare: ReadonlySet<string>;
  /** Imports of anything but application modules and `fw`, each at its first occurrence. */
  readonly others: readonly ModuleRequest[];
}

/** Cached by module; a module whose imports resolve differently is a new object. */
const cache = new WeakMap<SourceModule, ModuleImports>();

export function importedBy(project: Project, module: SourceModule): ModuleImports {
  const cached = cache.get(module);
  if (cached) return cached;
  const [all, loadedPaths, bare] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const others = new Map<string, ModuleRequest>();
  for (const request of module.requests) {
    const { specifier, loads } = request;
    const path = project.resolve(module.path, specifier);
    if (path !== undefined) {
      all.add(path);
      if (loads) loadedPaths.add(path);
      if (request.bare) bare.add(path);
    } else if (!isFramework(specifier) && !others.has(specifier)) others.set(specifier, request);
  }
  const imports = { all, loaded: loadedPaths, bare, others: [...others.values()] };
  cache.set(module, imports);
  return imports;
}

/** Returns the imports of a module, each specifier at its first occurrence. */
export function firstRequests({ requests }: SourceModule): readonly ModuleRequest[] {
  const specifiers = new Set<string>();
  return requests.filter(({ specifier }) => !specifiers.has(specifier) && specifiers.add(specifier));
}

/** Returns the modules at `paths` and all modules that import them, directly or indirectly. */
export function importersOf(project: Project, paths: Iterable<string>): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const module of project.modules()) {
    for (const path of importedBy(project, module).all) {
      const direct = importers.get(path);
      if (direct) direct.push(module.path);
      else importers.set(path, [module.path]);
    }
  }
  const reachable = new Set(paths);
  for (const path of reachable) for (const importer of importers.get(path) ?? []) reachable.add(importer);
  return reachable;
}
