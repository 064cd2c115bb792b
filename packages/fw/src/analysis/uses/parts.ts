import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import { isAlias } from "../symbols/alias.ts";
import { referencesOf, type References } from "./references.ts";

/** A top-level binding of a module with its code, or a statement that runs when the module loads. */
export interface ModulePart extends References {
  /** The names it binds; `default` for a default-exported expression. */
  readonly names: readonly string[];
  /** The initializer of a `const`, or the whole node of any other binding. */
  readonly node: ESTree.Node;
}

interface PartIndex {
  readonly parts: readonly ModulePart[];
  readonly byName: ReadonlyMap<string, ModulePart>;
}

/** Returns the parts of a module in source order, except constants that only rename something. */
export function partsOf(module: SourceModule): readonly ModulePart[] {
  return indexParts(module).parts;
}

export function partNamed(module: SourceModule, name: string): ModulePart | undefined {
  return indexParts(module).byName.get(name);
}

const indexParts = cachedByObject((module: SourceModule): PartIndex => {
  const parts = module.program.body.flatMap((statement) => partsIn(module, statement));
  return { parts, byName: new Map(parts.flatMap((part) => part.names.map((name) => [name, part] as const))) };
});

function partsIn(module: SourceModule, statement: ESTree.Node): readonly ModulePart[] {
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
      return statement.declarations.flatMap((declared) => variablePart(module, statement, declared));
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      return [makePart(module, statement.id ? [statement.id.name] : [], statement)];
    case "TSModuleDeclaration":
      return [makePart(module, statement.id.type === "Identifier" ? [statement.id.name] : [], statement)];
    default:
      return [makePart(module, [], statement)];
  }
}

function defaultPart(
  module: SourceModule,
  node: ESTree.ExportDefaultDeclaration["declaration"],
): readonly ModulePart[] {
  if (node.type === "Identifier" || node.type === "TSInterfaceDeclaration") return [];
  if ((node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") && node.id)
    return partsIn(module, node);
  return [makePart(module, ["default"], node)];
}

function variablePart(
  module: SourceModule,
  statement: ESTree.VariableDeclaration,
  node: ESTree.VariableDeclarator,
): readonly ModulePart[] {
  if (isAlias(node, statement.kind)) return [];
  return [{ ...makePart(module, patternNames(node.id), node), node: node.init ?? node }];
}

function makePart(module: SourceModule, names: readonly string[], node: ESTree.Node): ModulePart {
  return { names, node, ...referencesOf(module, node) };
}
