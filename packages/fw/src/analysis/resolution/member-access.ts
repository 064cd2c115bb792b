import type { SourceModule } from "../source/module.ts";
import { keyOf } from "../source/expression.ts";
import type { Project } from "../source/project.ts";
import { accessOf, type Access } from "../symbols/access.ts";
import { walkNames } from "../symbols/names-in.ts";
import { scopeOf } from "../symbols/scope.ts";
import type { Reference } from "../symbols/table.ts";
import { constantOf } from "./constant.ts";

/** The members that are read of what a reference names, also by keys that are constants of the top level. */
export function memberAccess(project: Project, module: SourceModule, reference: Reference): Access {
  const isLocal = (name: string): boolean => scopeOf(reference.scope, name) !== undefined;
  return accessOf(reference, (member) => {
    const key = keyOf(member);
    if (key !== undefined || walkNames(member.property).some(isLocal)) return key;
    const constant = constantOf(project, module, member.property);
    return constant.ok && typeof constant.value === "string" ? constant.value : undefined;
  });
}
