import type { ModuleRequest, SourceModule } from "./module.ts";
import type { Project } from "./project.ts";
import { isFramework } from "./resolve.ts";

/** Paths of the application's modules that a module leads to. */
interface Imported {
  /** Those that it imports or re-exports from. */
  readonly all: ReadonlySet<string>;
  /** Those that are loaded with it, in the order in which it names them. */
  readonly loaded: ReadonlySet<string>;
  /** Those that it imports for their effects alone: `import "./setup.ts"`. */
  readonly bare: ReadonlySet<string>;
  /** What it imports from that is no module of the application and not `fw`, each where it is written first. */
  readonly others: readonly ModuleRequest[];
}

/** By module: one whose imports lead elsewhere than before is another. */
const imported = new WeakMap<SourceModule, Imported>();

export function importedBy(project: Project, module: SourceModule): Imported {
  const known = imported.get(module);
  if (known) return known;
  const [all, loaded, bare] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const others = new Map<string, ModuleRequest>();
  for (const request of module.requests) {
    const { specifier, loads } = request;
    const path = project.resolve(module.path, specifier);
    if (path !== undefined) {
      all.add(path);
      if (loads) loaded.add(path);
      if (request.bare) bare.add(path);
    } else if (!isFramework(specifier) && !others.has(specifier)) others.set(specifier, request);
  }
  const found = { all, loaded, bare, others: [...others.values()] };
  imported.set(module, found);
  return found;
}

/** What a module imports from, each specifier where it is written first. */
export function firstRequests({ requests }: SourceModule): readonly ModuleRequest[] {
  const seen = new Set<string>();
  return requests.filter(({ specifier }) => !seen.has(specifier) && seen.add(specifier));
}

/** Paths of the modules that import some of these, directly or not, with these themselves. */
export function importersOf(project: Project, paths: Iterable<string>): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const module of project.modules()) {
    for (const path of importedBy(project, module).all) {
      const known = importers.get(path);
      if (known) known.push(module.path);
      else importers.set(path, [module.path]);
    }
  }
  const found = new Set(paths);
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return found;
}
