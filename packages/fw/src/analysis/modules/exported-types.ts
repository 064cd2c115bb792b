import type { ESTree } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { resolveExport, resolveName } from "../resolution/resolve-name.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/**
 * Reports types that a module exports as values: `export { Order } from "./order.ts"`. Only the other module shows that
 * it is a type.
 */
export function exportedTypes(project: Project, module: SourceModule): readonly Diagnostic[] {
  return module.program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.exportKind === "type") return [];
    return statement.specifiers
      .filter(({ local, exportKind }) => exportKind !== "type" && isType(project, module, statement, textOf(local)))
      .map(({ local }): Diagnostic => {
        const name = textOf(local);
        const message = `${name} is a type, which does not exist at run time`;
        return { code: "import", at: spanOf(module, local), message, hint: `export it as a type: type ${name}` };
      });
  });
}

/** True for a type of another module that shares its name with no value. */
function isType(
  project: Project,
  module: SourceModule,
  { source }: ESTree.ExportNamedDeclaration,
  name: string,
): boolean {
  const path = source === null ? undefined : project.resolve(module.path, source.value);
  const target = path === undefined ? undefined : project.module(path);
  const resolvedExport = target === undefined ? undefined : resolveExport(project, target, name);
  const resolved = source === null ? resolveName(project, module, name) : resolvedExport;
  if (resolved?.kind !== "binding" || resolved.module === module) return false;
  return resolved.binding.kind === "type" && isErased(resolved.binding.node);
}

/** A namespace exists at run time if it holds more than types. */
function isErased(node: ESTree.Node): boolean {
  if (node.type === "ExportNamedDeclaration") return node.declaration !== null && isErased(node.declaration);
  if (node.type === "TSModuleDeclaration") return node.declare || (node.body?.body ?? []).every(isErased);
  return node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration";
}

function textOf(name: ESTree.ModuleExportName): string {
  return name.type === "Literal" ? name.value : name.name;
}
