import type { ESTree } from "rolldown/utils";
import type { Binding, ExportedName, SourceModule } from "../source/module.ts";
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
  return new Search(project).local(module, name) ?? { kind: "unknown", name };
}

/** What a module exports under a name; undefined when it exports no such thing. */
export function resolveExport(project: Project, module: SourceModule, name: string): Resolved | undefined {
  return new Search(project).exported(module, name);
}

class Search {
  readonly #project: Project;
  /** Undefined until another module is entered. */
  #seen: Set<string> | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  local(module: SourceModule, name: string): Resolved | undefined {
    const binding = module.bindings.get(name);
    if (binding) return { kind: "binding", module, binding };
    const imported = module.imports.get(name);
    return imported && this.#imported(module, imported.specifier, imported.name);
  }

  exported(module: SourceModule, name: string): Resolved | undefined {
    if (!this.#enter(module, name)) return undefined;
    const found = module.exports.get(name);
    if (found) return this.#entry(module, found);
    return name === "default" ? undefined : this.#starred(module, name);
  }

  #entry(module: SourceModule, found: ExportedName): Resolved | undefined {
    if (found.kind === "expression") return { kind: "expression", module, node: found.node };
    if (found.kind === "local") return this.local(module, found.name);
    return this.#imported(module, found.specifier, found.name);
  }

  /** `export * from` leads to the first module that has the name; a package may have any. */
  #starred(module: SourceModule, name: string): Resolved | undefined {
    let outside: Resolved | undefined;
    for (const specifier of module.stars) {
      const found = this.#imported(module, specifier, name);
      if (found && found.kind !== "external" && found.kind !== "fw") return found;
      outside ??= found?.kind === "fw" ? found : undefined;
    }
    return outside;
  }

  #imported(module: SourceModule, specifier: string, name: string): Resolved | undefined {
    if (isFramework(specifier))
      return { kind: "fw", name: specifier === "fw" ? name : `${specifier.slice(3)}/${name}` };
    const path = this.#project.resolve(module.path, specifier);
    const target = path === undefined ? undefined : this.#project.module(path);
    if (target && name === "*") return { kind: "namespace", module: target };
    const outside = { kind: "external", specifier, name, ...(target ? { module: target } : {}) } as const;
    return (target && this.exported(target, name)) ?? outside;
  }

  #enter(module: SourceModule, name: string): boolean {
    const key = `${module.path}\0${name}`;
    this.#seen ??= new Set();
    if (this.#seen.has(key) || this.#seen.size > mostModules) return false;
    this.#seen.add(key);
    return true;
  }
}
