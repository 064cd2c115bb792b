import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { isRelative } from "../source/resolve.ts";

type Statement = ESTree.Program["body"][number];

/**
 * Returns the top-level statements of an edited module that keep their meaning: their text and position are unchanged,
 * and they mention no name of an affected statement, directly or indirectly. Returns none if the edit affects a
 * statement that declares nothing, which may do anything.
 */
export function unaffectedStatements(before: SourceModule, after: SourceModule): readonly Statement[] {
  // An escaped identifier would not match the same name without escapes.
  if (before.text.includes("\\u") || after.text.includes("\\u")) return [];
  const same = sameStatements(before, after);
  const affectedNames = new Set<string>();
  let remaining = after.program.body.filter((each) => same.has(each.start));
  let next: readonly Statement[] = [...before.program.body, ...after.program.body].filter(
    (each) => !same.has(each.start),
  );
  while (next.length > 0) {
    for (const names of next.map(namesDeclaredBy)) {
      if (names === undefined) return [];
      for (const name of names) affectedNames.add(name);
    }
    const affected = new Set(remaining.filter((each) => mentionsAny(after, each, affectedNames)));
    remaining = remaining.filter((each) => !affected.has(each));
    next = [...affected];
  }
  return remaining;
}

/** Returns the start of each statement that is the same in both modules. */
function sameStatements(before: SourceModule, after: SourceModule): ReadonlySet<number> {
  const previous = new Map(before.program.body.map((each) => [each.start, each]));
  const same = after.program.body.filter((each) => {
    const old = previous.get(each.start);
    return old !== undefined && textOf(before, old) === textOf(after, each) && isSamePosition(before, after, each);
  });
  return new Set(same.map(({ start }) => start));
}

function isSamePosition(before: SourceModule, after: SourceModule, { start }: Statement): boolean {
  const [one, other] = [before, after].map((module) => spanOf(module, { start, end: start }));
  return one?.line === other?.line && one?.column === other?.column;
}

function textOf({ text }: SourceModule, { start, end }: Statement): string {
  return text.slice(start, end);
}

function mentionsAny(module: SourceModule, statement: Statement, names: ReadonlySet<string>): boolean {
  const text = textOf(module, statement);
  return (
    [...names].some((name) => text.includes(name)) &&
    text.split(/[^\p{ID_Continue}$]+/u).some((word) => names.has(word))
  );
}

/**
 * Returns the top-level names that a statement declares; undefined for a destructuring pattern, and for a statement
 * that may have other effects.
 */
function namesDeclaredBy(statement: Statement): readonly string[] | undefined {
  switch (statement.type) {
    case "ImportDeclaration":
      return statement.specifiers.map(({ local }) => local.name);
    case "ExportNamedDeclaration":
      return statement.declaration ? namesDeclaredBy(statement.declaration) : undefined;
    case "VariableDeclaration": {
      const names = statement.declarations.map(({ id }) => (id.type === "Identifier" ? id.name : undefined));
      return names.every((name) => name !== undefined) ? names : undefined;
    }
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "ClassDeclaration":
      return statement.id ? [statement.id.name] : undefined;
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSEnumDeclaration":
      return [statement.id.name];
    default:
      return undefined;
  }
}

/** True if the meaning of a module's names may depend on the module itself, through the modules that it imports. */
export function mayImportItself(project: Project, module: SourceModule): boolean {
  const reached = new Set([module.path]);
  for (const path of reached) {
    const each = project.module(path);
    if (each === undefined) continue;
    const { all, others } = importedBy(project, each);
    if (all.has(module.path) || importsInPlace(each) || others.some(({ specifier }) => isRelative(specifier)))
      return true;
    for (const next of all) reached.add(next);
  }
  return false;
}

/** True for a module that may contain an import inside an expression or a type, `import("./other.ts")`. */
const importsInPlace = cachedByObject(({ text }: SourceModule) => /\bimport\s*\(/.test(text));
