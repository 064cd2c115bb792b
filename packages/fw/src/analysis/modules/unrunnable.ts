import { type ESTree, Visitor } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DeclaredModule } from "../declared.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { resolveExport, resolveName } from "../resolution/resolve-name.ts";

/** Reports code that TypeScript accepts but Node cannot run, in modules with declarations and their imports. */
export function unrunnableCode(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  const modulesWithProblems = modules.flatMap(({ module }) => {
    const problems = [...unrunnableIn(module), ...exportedTypes(project, module)];
    return problems.length === 0 ? [] : [{ module, problems }];
  });
  if (modulesWithProblems.length === 0) return [];
  const declaring = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  return modulesWithProblems
    .filter(({ module }) => [...importersOf(project, [module.path])].some((path) => declaring.has(path)))
    .flatMap(({ problems }) => problems);
}

const unrunnableIn = cachedByObject((module: SourceModule) => [...commonJS(module), ...inClasses(module)]);

/** Reports `import name = require(…)` and imports of `.cts` files, which do not work in ES modules. */
function commonJS(module: SourceModule): readonly Diagnostic[] {
  const requireImports = module.program.body.flatMap((statement): Diagnostic[] => {
    if (statement.type !== "TSImportEqualsDeclaration" || statement.importKind === "type") return [];
    const { moduleReference: from, id } = statement;
    if (from.type !== "TSExternalModuleReference") return [];
    const source = `"${from.expression.value}"`;
    const hint = `write import * as ${id.name} from ${source}; for a CommonJS module, import ${id.name} from ${source}`;
    return [{ code: "import", at: spanOf(module, statement), message: "ES modules have no require", hint }];
  });
  const ctsImports = module.requests.filter(({ specifier, loads }) => loads && specifier.endsWith(".cts"));
  return [
    ...requireImports,
    ...ctsImports.map(({ specifier, node }): Diagnostic => {
      const message = `"${specifier}" is a CommonJS module, which an application cannot load`;
      return {
        code: "import",
        at: spanOf(module, node),
        message,
        hint: "rename the file to .ts and import it by that name",
      };
    }),
  ];
}

/** Reports decorators and accessor fields, which can only occur in classes. */
function inClasses(module: SourceModule): readonly Diagnostic[] {
  if (!/\bclass\b/.test(module.text) || !/@|\baccessor\b/.test(module.text)) return [];
  const problems: Diagnostic[] = [];
  const accessor = (node: ESTree.AccessorProperty): void => {
    const hint = "write a field, or a getter and a setter";
    problems.push({ code: "syntax", at: spanOf(module, node.key), message: "Node does not run accessor fields", hint });
  };
  new Visitor({
    Decorator(node) {
      const hint = "call the function instead, with the decorated value as its argument";
      problems.push({ code: "syntax", at: spanOf(module, node), message: "Node does not run decorators", hint });
    },
    AccessorProperty: accessor,
  }).visit(module.program);
  return problems;
}

/**
 * Reports types that a module re-exports as values: `export { Order } from "./order.ts"`. Only the other module shows
 * whether a name is a type.
 */
function exportedTypes(project: Project, module: SourceModule): readonly Diagnostic[] {
  return exportLists(module).flatMap((statement) =>
    statement.specifiers
      .filter(({ local, exportKind }) => exportKind !== "type" && isType(project, module, statement, textOf(local)))
      .map(({ local }): Diagnostic => {
        const name = textOf(local);
        const message = `${name} is a type, which does not exist at run time`;
        return { code: "import", at: spanOf(module, local), message, hint: `export it as a type: type ${name}` };
      }),
  );
}

/** Returns export lists such as `export { Order } from "./order.ts"`, except `export type`. */
const exportLists = cachedByObject(({ program }: SourceModule) =>
  program.body.filter(
    (statement): statement is ESTree.ExportNamedDeclaration =>
      statement.type === "ExportNamedDeclaration" && statement.exportKind !== "type" && statement.specifiers.length > 0,
  ),
);

/** True for a type of another module without a value of the same name. */
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

/** True for code without a run-time value: a type, or a namespace that is ambient or holds only types. */
function isErased(node: ESTree.Node): boolean {
  if (node.type === "ExportNamedDeclaration") return node.declaration !== null && isErased(node.declaration);
  if (node.type === "TSModuleDeclaration") return node.declare || (node.body?.body ?? []).every(isErased);
  return node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration";
}

function textOf(name: ESTree.ModuleExportName): string {
  return name.type === "Literal" ? name.value : name.name;
}
