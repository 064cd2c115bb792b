import type { ESTree } from "rolldown/utils";
import type { Binding, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { isFramework } from "../source/resolve.ts";

/** What a name means, seen through imports and re-exports. */
export type Resolved =
  | { readonly kind: "binding"; readonly module: SourceModule; readonly binding: Binding }
  /** The value of `export default <expression>`. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Expression }
  /** All exports of a module, as one object. */
  | { readonly kind: "namespace"; readonly module: SourceModule }
  /** An export of `fw`; `*` for all of them. */
  | { readonly kind: "fw"; readonly name: string }
  /** Something of a package, of a file that is not there, or of a module that exports no such name. */
  | {
      readonly kind: "external";
      readonly specifier: string;
      readonly name: string;
      /** The module that exports no such name. */
      readonly module?: SourceModule;
    }
  /** Declared nowhere: a global, or a mistake. */
  | { readonly kind: "unknown"; readonly name: string };

/** Modules looked into for one name; more than any application chains, fewer than would be noticed. */
const mostModules = 1000;

/** What a name of a module's top level means. Never throws, and ends on circular imports. */
export function resolveName(project: Project, module: SourceModule, name: string): Resolved {
  return local({ project, seen: undefined }, module, name) ?? { kind: "unknown", name };
}

/** What a module exports under a name; undefined when it exports no such thing. */
export function resolveExport(project: Project, module: SourceModule, name: string): Resolved | undefined {
  return exported({ project, seen: undefined }, module, name);
}

interface Search {
  readonly project: Project;
  /** The names of modules that were looked for; undefined until one is. */
  seen: Set<string> | undefined;
}

function local(search: Search, module: SourceModule, name: string): Resolved | undefined {
  const binding = module.bindings.get(name);
  if (binding) return { kind: "binding", module, binding };
  const found = module.imports.get(name);
  return found && imported(search, module, found.specifier, found.name);
}

function exported(search: Search, module: SourceModule, name: string): Resolved | undefined {
  if (!enter(search, module, name)) return undefined;
  const found = module.exports.get(name);
  switch (found?.kind) {
    case "expression":
      return { kind: "expression", module, node: found.node };
    case "local":
      return local(search, module, found.name);
    case "from":
      return imported(search, module, found.specifier, found.name);
    default:
      return name === "default" ? undefined : starred(search, module, name);
  }
}

/** `export * from` leads to the first module that has the name; a package may have any. */
function starred(search: Search, module: SourceModule, name: string): Resolved | undefined {
  let outside: Resolved | undefined;
  for (const specifier of module.stars) {
    const found = imported(search, module, specifier, name);
    if (found && found.kind !== "external" && found.kind !== "fw") return found;
    outside ??= found?.kind === "fw" ? found : undefined;
  }
  return outside;
}

function imported(search: Search, module: SourceModule, specifier: string, name: string): Resolved | undefined {
  if (isFramework(specifier)) return { kind: "fw", name: specifier === "fw" ? name : `${specifier.slice(3)}/${name}` };
  const path = search.project.resolve(module.path, specifier);
  const target = path === undefined ? undefined : search.project.module(path);
  if (!target) return { kind: "external", specifier, name };
  if (name === "*") return { kind: "namespace", module: target };
  return exported(search, target, name) ?? { kind: "external", specifier, name, module: target };
}

/** False where the name was looked for in the module before. */
function enter(search: Search, { path }: SourceModule, name: string): boolean {
  const seen = (search.seen ??= new Set());
  const key = `${path}\0${name}`;
  if (seen.has(key) || seen.size > mostModules) return false;
  seen.add(key);
  return true;
}
