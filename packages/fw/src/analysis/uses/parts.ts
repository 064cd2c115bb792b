import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import { isAlias } from "../symbols/alias.ts";
import { referencesOf, type References } from "./references.ts";

/** A binding of a module's top level with everything that stands in it, or a statement that runs when the module is loaded. */
export interface Part extends References {
  /** The names that it binds; `default` for an expression that is the default export. */
  readonly names: readonly string[];
  /** What a `const` holds, or the whole of another binding. */
  readonly node: ESTree.Node;
}

interface Known {
  readonly parts: readonly Part[];
  readonly byName: ReadonlyMap<string, Part>;
}

const known = new WeakMap<SourceModule, Known>();

/** The parts of a module in source order. Constants that only give another name to something are none. */
export function partsOf(module: SourceModule): readonly Part[] {
  return read(module).parts;
}

/** The part that binds a name. */
export function partNamed(module: SourceModule, name: string): Part | undefined {
  return read(module).byName.get(name);
}

function read(module: SourceModule): Known {
  const before = known.get(module);
  if (before) return before;
  const parts = module.program.body.flatMap((statement) => partsIn(module, statement));
  const found = { parts, byName: new Map(parts.flatMap((part) => part.names.map((name) => [name, part] as const))) };
  known.set(module, found);
  return found;
}

function partsIn(module: SourceModule, statement: ESTree.Node): readonly Part[] {
  switch (statement.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSImportEqualsDeclaration":
    case "TSDeclareFunction":
    case "TSExportAssignment":
      return [];
    case "ExportNamedDeclaration":
      return statement.declaration ? partsIn(module, statement.declaration) : [];
    case "ExportDefaultDeclaration":
      return defaultPart(module, statement.declaration);
    case "VariableDeclaration":
      return statement.declarations.flatMap((declared) => variable(module, statement, declared));
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      return [part(module, statement.id ? [statement.id.name] : [], statement)];
    case "TSModuleDeclaration":
      return [part(module, statement.id.type === "Identifier" ? [statement.id.name] : [], statement)];
    default:
      return [part(module, [], statement)];
  }
}

function defaultPart(module: SourceModule, node: ESTree.ExportDefaultDeclaration["declaration"]): readonly Part[] {
  if (node.type === "Identifier" || node.type === "TSInterfaceDeclaration") return [];
  if ((node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") && node.id)
    return partsIn(module, node);
  return [part(module, ["default"], node)];
}

function variable(
  module: SourceModule,
  statement: ESTree.VariableDeclaration,
  node: ESTree.VariableDeclarator,
): readonly Part[] {
  if (isAlias(node, statement.kind)) return [];
  return [{ ...part(module, patternNames(node.id), node), node: node.init ?? node }];
}

function part(module: SourceModule, names: readonly string[], node: ESTree.Node): Part {
  return { names, node, ...referencesOf(module, node) };
}
