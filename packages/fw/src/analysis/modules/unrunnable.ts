import { type ESTree, Visitor } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DeclaredModule } from "../declared.ts";
import { exportedTypes } from "./exported-types.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/** What TypeScript takes and no application runs, in the modules that declare something and in those that these import. */
export function unrunnable(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  const found = modules.flatMap(({ module }) => {
    const problems = [...unrunnableIn(module), ...exportedTypes(project, module)];
    return problems.length === 0 ? [] : [{ module, problems }];
  });
  if (found.length === 0) return [];
  const declaring = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  return found
    .filter(({ module }) => [...importersOf(project, [module.path])].some((path) => declaring.has(path)))
    .flatMap(({ problems }) => problems);
}

/** By module, which never changes. */
const known = new WeakMap<SourceModule, readonly Diagnostic[]>();

function unrunnableIn(module: SourceModule): readonly Diagnostic[] {
  const before = known.get(module);
  if (before !== undefined) return before;
  const found = [...commonJS(module), ...inClasses(module)];
  known.set(module, found);
  return found;
}

/** What ES modules cannot load as TypeScript reads it. */
function commonJS(module: SourceModule): readonly Diagnostic[] {
  const required = module.program.body.flatMap((statement): Diagnostic[] => {
    if (statement.type !== "TSImportEqualsDeclaration" || statement.importKind === "type") return [];
    const { moduleReference: from, id } = statement;
    if (from.type !== "TSExternalModuleReference") return [];
    const source = `"${from.expression.value}"`;
    const hint = `write import * as ${id.name} from ${source}; or, of a CommonJS module, import ${id.name} from ${source}`;
    return [{ code: "import", at: spanOf(module, statement), message: "an ES module has no require", hint }];
  });
  const written = module.requests.filter(({ specifier, loads }) => loads && specifier.endsWith(".cts"));
  return [
    ...required,
    ...written.map(({ specifier, node }): Diagnostic => {
      const message = `"${specifier}" is TypeScript of CommonJS, which an application does not load`;
      return { code: "import", at: spanOf(module, node), message, hint: "name the file .ts, and import it so" };
    }),
  ];
}

/** Decorators and accessors stand in classes only. */
function inClasses(module: SourceModule): readonly Diagnostic[] {
  if (!/\bclass\b/.test(module.text) || !/@|\baccessor\b/.test(module.text)) return [];
  const found: Diagnostic[] = [];
  const accessor = (node: ESTree.AccessorProperty): void => {
    const hint = "write a field, or get and set";
    found.push({ code: "syntax", at: spanOf(module, node.key), message: "Node does not run accessor fields", hint });
  };
  new Visitor({
    Decorator(node) {
      const hint = "write a call: what it decorates is the argument of the function";
      found.push({ code: "syntax", at: spanOf(module, node), message: "Node does not run decorators", hint });
    },
    AccessorProperty: accessor,
  }).visit(module.program);
  return found;
}
