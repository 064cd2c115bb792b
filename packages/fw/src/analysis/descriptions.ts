import type { App, DeclarationKey } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../model/declarations.ts";
import type { DescribedType, Descriptions } from "../model/descriptions.ts";
import { aboutApp } from "./modules/app-name.ts";
import { docBefore } from "./source/doc-comment.ts";
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
  const binding = module?.bindings.get(variable);
  return module && binding?.kind === "variable" ? docBefore(module.text, binding.node.start) : undefined;
}

/** Resolves a type id, `<path>#<name>`, with type arguments if the type is generic. */
function describedType(project: Project, id: string): DescribedType | undefined {
  const hash = id.indexOf("#");
  const module = project.module(id.slice(0, hash));
  const name = id.slice(hash + 1).replace(/<.*/s, "");
  const [declaration] = module === undefined ? [] : (module.types.get(name) ?? []);
  if (module === undefined || !declaration?.id) return undefined;
  const doc = docBefore(module.text, declaration.id.start);
  return { at: spanOf(module, declaration.id), ...(doc === undefined ? {} : { doc }) };
}
