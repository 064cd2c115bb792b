import type { App, DeclarationKey } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../model/declarations.ts";
import type { DescribedType, Descriptions } from "../model/descriptions.ts";
import { cachedByObject } from "../lib/cached-by-object.ts";
import { aboutApp } from "./modules/app-name.ts";
import { docBefore } from "./source/doc-comment.ts";
import type { SourceModule } from "./source/module.ts";
import { spanOf } from "./source/position.ts";
import type { Project } from "./source/project.ts";

/** Collects the doc comments of endpoints, services and named types, and the locations of the types. */
export function descriptionsOf(project: Project, { packages, types }: App): Descriptions {
  const endpoints = packages.flatMap(endpointsOf);
  const documented = [...endpoints, ...allOfKind(packages, "service")];
  const declarations = documented.flatMap(({ declaration }): [string, string][] => {
    const doc = docOf(project, declaration);
    return doc === undefined ? [] : [[declarationKey(declaration), doc]];
  });
  const ids = new Set([...Object.keys(types), ...endpoints.flatMap(({ request }) => request.type ?? [])]);
  const described = [...ids].flatMap((id): [string, DescribedType][] => {
    const description = describedType(project, id);
    return description === undefined ? [] : [[id, description]];
  });
  return { about: aboutApp(project.root), declarations: new Map(declarations), types: new Map(described) };
}

export function docOf(project: Project, { module: path, variable }: DeclarationKey): string | undefined {
  const module = project.module(path);
  return module && describedNames(module).doc(variable);
}

/**
 * Resolves a type id, `<path>#<name>`, with type arguments if the type is generic. Undefined if no module declares the
 * type.
 */
function describedType(project: Project, id: string): DescribedType | undefined {
  const hash = id.indexOf("#");
  const module = project.module(id.slice(0, hash));
  return module && describedNames(module).type(id.slice(hash + 1).replace(/<.*/s, ""));
}

/**
 * Reads the doc comments and locations of a module's names, each once. Most modules stay the same objects after a save,
 * and so do their descriptions.
 */
class DescribedNames {
  readonly #module: SourceModule;
  readonly #docs = new Map<string, string | undefined>();
  readonly #types = new Map<string, DescribedType | undefined>();

  constructor(module: SourceModule) {
    this.#module = module;
  }

  /** Returns the doc comment of a variable; undefined if there is none. */
  doc(variable: string): string | undefined {
    if (!this.#docs.has(variable)) this.#docs.set(variable, this.#readDoc(variable));
    return this.#docs.get(variable);
  }

  type(name: string): DescribedType | undefined {
    if (!this.#types.has(name)) this.#types.set(name, this.#readType(name));
    return this.#types.get(name);
  }

  #readDoc(variable: string): string | undefined {
    const { text, bindings } = this.#module;
    const binding = bindings.get(variable);
    return binding?.kind === "variable" ? docBefore(text, binding.node.start) : undefined;
  }

  #readType(name: string): DescribedType | undefined {
    const [declaration] = this.#module.types.get(name) ?? [];
    if (!declaration?.id) return undefined;
    const doc = docBefore(this.#module.text, declaration.id.start);
    return { at: spanOf(this.#module, declaration.id), ...(doc === undefined ? {} : { doc }) };
  }
}

const describedNames = cachedByObject((module: SourceModule) => new DescribedNames(module));
