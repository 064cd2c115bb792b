import type { ESTree } from "rolldown/utils";
import type { Extent } from "../source/position.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { type Reference, symbolsOf } from "../symbols/table.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";

/** A name in a module with the expression it resolves to. */
export interface ResolvedName {
  readonly name: Extent;
  readonly place: SourceNode;
}

/** Resolves the name at an offset: one that the module declares, imports or uses, or a member of a namespace. */
export function nameAt(project: Project, module: SourceModule, offset: number): ResolvedName | undefined {
  const holds = (node: Extent): boolean => node.start <= offset && offset <= node.end;
  const resolve = (name: Extent, root: string, keys: readonly string[]): ResolvedName | undefined => {
    const referent = new ReferenceResolver(project).path(module, module.program, root, keys);
    return referent.kind === "expression" ? { name, place: referent } : undefined;
  };
  for (const binding of module.bindings.values())
    if (binding.kind === "variable" && holds(binding.node.id))
      return resolve(nameOf(binding.node.id), binding.name, []);
  for (const local of importedNames(module)) if (holds(local)) return resolve(local, local.name, []);
  for (const reference of symbolsOf(module).references) {
    if (reference.node.start > offset) break;
    const { root } = reference;
    const member = typeof root === "string" ? memberAt(reference, holds) : undefined;
    if (member && typeof root === "string") return resolve(member.name, root, member.keys);
  }
  return undefined;
}

/** The range of a name without its type annotation. */
function nameOf(id: ESTree.Node): Extent {
  return id.type === "Identifier" ? { start: id.start, end: id.start + id.name.length } : id;
}

function importedNames({ program }: SourceModule): readonly ESTree.BindingIdentifier[] {
  return program.body.flatMap((statement) =>
    statement.type === "ImportDeclaration" ? statement.specifiers.map(({ local }) => local) : [],
  );
}

/** The part of `a.b.c` that ends at the offset, with the keys that lead to it. */
function memberAt(
  { node, step, path }: Reference,
  holds: (node: Extent) => boolean,
): { readonly name: Extent; readonly keys: readonly string[] } | undefined {
  const keys = [...path];
  let name: ESTree.Node = node;
  let whole: ESTree.Node = node;
  let next: Reference["step"] | undefined = step;
  while (!holds(name)) {
    const member = next?.node;
    if (member?.type !== "MemberExpression" || member.object !== whole || member.computed) return undefined;
    if (member.property.type !== "Identifier") return undefined;
    name = member.property;
    whole = member;
    keys.push(member.property.name);
    next = next?.parent;
  }
  return { name, keys };
}
