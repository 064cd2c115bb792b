import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "./module.ts";
import type { Project } from "./project.ts";

/** By module: one whose imports lead elsewhere than before is another. */
const imported = new WeakMap<SourceModule, ReadonlySet<string>>();

/** Paths of the application's modules that a module imports or re-exports from. */
export function importedPaths(project: Project, module: SourceModule): ReadonlySet<string> {
  const known = imported.get(module);
  if (known) return known;
  const paths = new Set<string>();
  for (const specifier of specifiersOf(module)) {
    const path = project.resolve(module.path, specifier);
    if (path !== undefined) paths.add(path);
  }
  imported.set(module, paths);
  return paths;
}

const specifiers = new WeakMap<SourceModule, ReadonlySet<string>>();

/** What a module imports from, as it is written. */
export function specifiersOf(module: SourceModule): ReadonlySet<string> {
  const known = specifiers.get(module);
  if (known) return known;
  const found = new Set<string>(module.stars);
  for (const { specifier } of module.imports.values()) found.add(specifier);
  for (const each of module.exports.values()) if (each.kind === "from") found.add(each.specifier);
  for (const statement of module.program.body) {
    if (statement.type === "ImportDeclaration") found.add(statement.source.value);
  }
  specifiers.set(module, found);
  return found;
}

const loaded = new WeakMap<SourceModule, readonly string[]>();

/** Paths of the application's modules that are loaded with a module, in the order in which it names them. */
export function loadedPaths(project: Project, module: SourceModule): readonly string[] {
  const known = loaded.get(module) ?? module.program.body.flatMap((each) => loadedSpecifier(each) ?? []);
  loaded.set(module, known);
  return known.flatMap((specifier) => project.resolve(module.path, specifier) ?? []);
}

/** What is imported for its types only is not loaded. */
function loadedSpecifier(statement: ESTree.Statement | ESTree.Directive): string | undefined {
  switch (statement.type) {
    case "ImportDeclaration": {
      const { importKind, specifiers: names, source } = statement;
      const onlyTypes = names.length > 0 && names.every((each) => "importKind" in each && each.importKind === "type");
      return importKind === "type" || onlyTypes ? undefined : source.value;
    }
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return statement.exportKind === "type" ? undefined : statement.source?.value;
    default:
      return undefined;
  }
}

/** Paths of the modules that import some of these, directly or not, with these themselves. */
export function importersOf(project: Project, paths: Iterable<string>): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const module of project.modules()) {
    for (const path of importedPaths(project, module)) {
      const known = importers.get(path);
      if (known) known.push(module.path);
      else importers.set(path, [module.path]);
    }
  }
  const found = new Set(paths);
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return found;
}
