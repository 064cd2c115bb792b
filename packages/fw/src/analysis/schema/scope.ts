import type { ESTree } from "rolldown/utils";
import type { Question } from "../checker/checker.ts";
import type { ImportedName, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import type { Touched } from "../source/touched.ts";
import type { Place, Type } from "./type.ts";

/** A type argument, with the text that names it inside an id. */
export interface Argument {
  readonly type: Type;
  readonly key: string;
}

/** Where a type node stands: its module, and what its type parameters mean there. */
export interface Scope {
  readonly module: SourceModule;
  readonly parameters: ReadonlyMap<string, Argument>;
  /** What to ask the checker where this node alone is not enough: the closed type around it. */
  readonly enclosingQuestion?: Question;
  /** What findings point at, in text that is not the application's own. */
  readonly place?: Place;
}

export const noParameters: ReadonlyMap<string, Argument> = new Map();

const scopes = new WeakMap<SourceModule, Scope>();

/** The top level of a module, where no name is a type parameter. */
export function topLevel(module: SourceModule): Scope {
  const known = scopes.get(module);
  if (known) return known;
  const scope = { module, parameters: noParameters };
  scopes.set(module, scope);
  return scope;
}

export type TypeDeclaration =
  | ESTree.TSInterfaceDeclaration
  | ESTree.TSTypeAliasDeclaration
  | ESTree.TSEnumDeclaration
  | ESTree.TSModuleDeclaration
  | ESTree.Class;

/** The types that a module declares. */
export interface ModuleTypes {
  /** By name; several where declarations merge. */
  readonly declarations: ReadonlyMap<string, readonly TypeDeclaration[]>;
  /** Names that merge with those of other files: in `declare global` and `declare module`, and all of a file that is no module. */
  readonly global: readonly string[];
}

const cache = new WeakMap<SourceModule, ModuleTypes>();

export function typesOf(module: SourceModule): ModuleTypes {
  const known = cache.get(module);
  if (known) return known;
  const types = collect(module.program);
  cache.set(module, types);
  return types;
}

function collect(program: ESTree.Program): ModuleTypes {
  const declarations = new Map<string, TypeDeclaration[]>();
  const augmented: string[] = [];
  for (const statement of program.body) {
    const node = declarationIn(statement);
    if (node?.type === "TSModuleDeclaration" && isAugmentation(node)) augmented.push(...namesIn(node));
    else if (node && node.id?.type === "Identifier") {
      declarations.set(node.id.name, [...(declarations.get(node.id.name) ?? []), node]);
    }
  }
  const isModule = program.body.some(({ type }) => type.startsWith("Import") || type.startsWith("Export"));
  return { declarations, global: isModule ? augmented : [...augmented, ...declarations.keys()] };
}

function declarationIn(statement: ESTree.Directive | ESTree.Statement): TypeDeclaration | undefined {
  const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  const node = isExport ? statement.declaration : statement;
  switch (node?.type) {
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSEnumDeclaration":
    case "ClassDeclaration":
      return node;
    case "TSModuleDeclaration":
      return node as ESTree.TSModuleDeclaration;
    default:
      return undefined;
  }
}

function isAugmentation(node: ESTree.TSModuleDeclaration): boolean {
  return node.id.type === "Literal" || (node.id.type === "Identifier" && node.id.name === "global");
}

function namesIn(node: ESTree.TSModuleDeclaration): readonly string[] {
  return (node.body?.body ?? []).flatMap((inner) => {
    const declared = declarationIn(inner);
    return declared?.id?.type === "Identifier" ? [declared.id.name] : [];
  });
}

/** What a name means in a module: a declaration of some module of the application, or a name from outside. */
export type Meaning =
  | { readonly kind: "declared"; readonly module: SourceModule; readonly name: string }
  | { readonly kind: "namespace"; readonly module: SourceModule }
  | { readonly kind: "outside"; readonly specifier: string; readonly name: string }
  | { readonly kind: "global"; readonly name: string };

/** One search for a name. Every module it passes counts as looked at; none is passed twice for the same name. */
interface Search {
  readonly project: Project;
  readonly touched: Touched;
  /** Undefined until a module is entered. */
  passed?: Set<string>;
}

/** What a name means inside a module. Adds the paths of the modules that lead there to `touched`. */
export function meaningOf(project: Project, module: SourceModule, name: string, touched: Touched): Meaning {
  return localMeaning({ project, touched }, module, name);
}

/** What a module exports under a name; undefined when it exports no such thing. */
export function exportedMeaning(
  project: Project,
  module: SourceModule,
  name: string,
  touched: Touched,
): Meaning | undefined {
  return exportIn({ project, touched }, module, name);
}

function localMeaning(search: Search, module: SourceModule, name: string): Meaning {
  search.touched.add(module.path);
  if (typesOf(module).declarations.has(name) || module.bindings.has(name)) return { kind: "declared", module, name };
  const imported = module.imports.get(name);
  return imported ? importedMeaning(search, module, imported) : { kind: "global", name };
}

function exportIn(search: Search, module: SourceModule, name: string): Meaning | undefined {
  const step = `${module.path}#${name}`;
  search.passed ??= new Set();
  if (search.passed.has(step)) return undefined;
  search.passed.add(step);
  search.touched.add(module.path);
  const found = module.exports.get(name);
  if (found?.kind === "local") return localMeaning(search, module, found.name);
  if (found?.kind === "expression") return undefined;
  if (found) return importedMeaning(search, module, found);
  return name === "default" ? undefined : starMeaning(search, module, name);
}

function starMeaning(search: Search, module: SourceModule, name: string): Meaning | undefined {
  for (const specifier of module.stars) {
    const meaning = importedMeaning(search, module, { specifier, name });
    if (meaning.kind !== "outside" || meaning.specifier !== specifier) return meaning;
  }
  return undefined;
}

function importedMeaning(search: Search, from: SourceModule, imported: ImportedName): Meaning {
  const outside: Meaning = { kind: "outside", specifier: imported.specifier, name: imported.name };
  const path = search.project.resolve(from.path, imported.specifier);
  const module = path === undefined ? undefined : search.project.module(path);
  if (!module) return outside;
  search.touched.add(module.path);
  if (imported.name === "*") return { kind: "namespace", module };
  return exportIn(search, module, imported.name) ?? outside;
}
