import type { SourceModule } from "../source/module.ts";
import { keyOf } from "../source/expression.ts";
import type { Project } from "../source/project.ts";
import { accessOf, type Access } from "../symbols/access.ts";
import { walkNames } from "../symbols/names-in.ts";
import { scopeOf } from "../symbols/scope.ts";
import type { Reference } from "../symbols/table.ts";
import { ReferenceResolver } from "./reference-resolver.ts";

/** Returns the members read from a reference, including keys that are top-level constants. */
export function memberAccess(project: Project, module: SourceModule, reference: Reference): Access {
  const isLocal = (name: string): boolean => scopeOf(reference.scope, name) !== undefined;
  return accessOf(reference, (member) => {
    const isOutside = !walkNames(member.property).some(isLocal);
    return isOutside ? new ReferenceResolver(project).keyOf(module, member) : keyOf(member);
  });
}
