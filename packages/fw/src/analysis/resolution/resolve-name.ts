import type { ESTree } from "rolldown/utils";
import type { Binding, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { isFramework } from "../source/resolve.ts";

/** The meaning of a name, resolved through imports and re-exports. */
export type Resolved =
  | { readonly kind: "binding"; readonly module: SourceModule; readonly binding: Binding }
  /** The value of `export default <expression>`. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Expression }
  | { readonly kind: "namespace"; readonly module: SourceModule }
  /** An export of `fw`; `*` for all of them. */
  | { readonly kind: "fw"; readonly name: string }
  /** A name from a package, from a missing file, or from a module that does not export it. */
  | {
      readonly kind: "external";
      readonly specifier: string;
      readonly name: string;
      /** The module that does not export the name. */
      readonly module?: SourceModule;
    }
  /** Not declared: a global or a mistake. */
  | { readonly kind: "unknown"; readonly name: string };

/** The maximum number of lookups, each of a name in a module, in one search; real applications need far fewer. */
const mostModules = 1000;

/** Resolves a top-level name of a module. Never throws, and terminates for circular imports. */
export function resolveName(project: Project, module: SourceModule, name: string): Resolved {
  return resolveLocal({ project, visited: undefined }, module, name) ?? { kind: "unknown", name };
}

/** Resolves an export of a module; undefined if the module does not export the name. */
export function resolveExport(project: Project, module: SourceModule, name: string): Resolved | undefined {
  return resolveExported({ project, visited: undefined }, module, name);
}

interface NameSearch {
  readonly project: Project;
  /** Names searched so far, with their modules; created on first use. */
  visited: Set<string> | undefined;
}

function resolveLocal(search: NameSearch, module: SourceModule, name: string): Resolved | undefined {
  const binding = module.bindings.get(name);
  if (binding) return { kind: "binding", module, binding };
  const imported = module.imports.get(name);
  return imported && resolveImported(search, module, imported.specifier, imported.name);
}

function resolveExported(search: NameSearch, module: SourceModule, name: string): Resolved | undefined {
  if (!enter(search, module, name)) return undefined;
  const entry = module.exports.get(name);
  switch (entry?.kind) {
    case "expression":
      return { kind: "expression", module, node: entry.node };
    case "local":
      return resolveLocal(search, module, entry.name);
    case "from":
      return resolveImported(search, module, entry.specifier, entry.name);
    default:
      return name === "default" ? undefined : resolveStar(search, module, name);
  }
}

/** Resolves a name through `export * from`. Prefers what the application declares to what it re-exports from `fw`. */
function resolveStar(search: NameSearch, module: SourceModule, name: string): Resolved | undefined {
  let outside: Resolved | undefined;
  for (const specifier of module.stars) {
    const resolved = resolveImported(search, module, specifier, name);
    if (resolved && resolved.kind !== "external" && resolved.kind !== "fw") return resolved;
    outside ??= resolved?.kind === "fw" ? resolved : undefined;
  }
  return outside;
}

function resolveImported(
  search: NameSearch,
  module: SourceModule,
  specifier: string,
  name: string,
): Resolved | undefined {
  if (isFramework(specifier)) return { kind: "fw", name: specifier === "fw" ? name : `${specifier.slice(3)}/${name}` };
  const path = search.project.resolve(module.path, specifier);
  const target = path === undefined ? undefined : search.project.module(path);
  if (!target) return { kind: "external", specifier, name };
  if (name === "*") return { kind: "namespace", module: target };
  return resolveExported(search, target, name) ?? { kind: "external", specifier, name, module: target };
}

/** False if this search has already looked for the name in this module, or has visited too many modules. */
function enter(search: NameSearch, { path }: SourceModule, name: string): boolean {
  const visited = (search.visited ??= new Set());
  const key = `${path}\0${name}`;
  if (visited.has(key) || visited.size > mostModules) return false;
  visited.add(key);
  return true;
}
