import { statSync } from "node:fs";
import { join, posix } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { DeclaredModule } from "./declared.ts";
import type { QueriesRead } from "./readers/query.ts";
import type { PackageRead } from "./readers/read.ts";
import { check } from "./rules/check.ts";
import { importersOf } from "./source/imports.ts";
import type { Project } from "./source/project.ts";

/** Everything that is wrong with an application, in source order. */
export function judge(
  project: Project,
  packages: readonly PackageRead[],
  modules: readonly DeclaredModule[],
  queries: QueriesRead,
): readonly Diagnostic[] {
  const syntax = modules.flatMap(({ module }) => module.syntaxErrors);
  const failures = modules.flatMap(({ declared }) => declared.flatMap(({ failure }) => failure ?? []));
  const doubtful = doubtfulDirs(project, modules);
  const whole = packages.filter(({ dir }) => !doubtful.has(dir));
  const hasDirectory = (dir: string): boolean => isDirectory(join(project.root, dir));
  return [
    ...syntax,
    ...failures,
    ...check({ packages: whole, hasDirectory, queries: outside(queries, doubtful) }),
  ].toSorted(inSourceOrder);
}

/** Packages that depend on a file that does not parse: what the rules would say of them may only follow from that. */
function doubtfulDirs(project: Project, modules: readonly DeclaredModule[]): ReadonlySet<string> {
  const broken = new Set(
    modules.filter(({ module }) => module.syntaxErrors.length > 0).map(({ module }) => module.path),
  );
  const dirs = new Set([...broken].map(directoryOf));
  if (broken.size === 0) return dirs;
  const importers = importersOf(project, broken);
  for (const { module, declared, files } of modules) {
    const read = [files, ...declared.map((each) => each.files)].some((paths) =>
      [...paths].some((path) => broken.has(path)),
    );
    if (read || (importers.has(module.path) && declared.some(({ asked }) => asked))) dirs.add(directoryOf(module.path));
  }
  return dirs;
}

/** Queries that are not written in one of these directories. */
function outside({ uses, fields, faults }: QueriesRead, dirs: ReadonlySet<string>): QueriesRead {
  const isOutside = ({ at }: { readonly at: Diagnostic["at"] }): boolean => !dirs.has(directoryOf(at.path));
  return { uses: uses.filter(isOutside), fields: fields.filter(isOutside), faults: faults.filter(isOutside) };
}

function directoryOf(path: string): string {
  const dir = posix.dirname(path);
  return dir === "." ? "" : dir;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

function inSourceOrder({ at: a }: Diagnostic, { at: b }: Diagnostic): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** TypeScript's errors, without what a syntax error or a rule tells already. */
export function withoutRepeats(found: readonly Diagnostic[], told: readonly Diagnostic[]): readonly Diagnostic[] {
  const codes = new Set(told.map(({ code, at }) => `${at.path} ${code}`));
  return found.filter(({ at, message }) => {
    const rule = /\bfw\/[a-z-]+/.exec(message)?.[0];
    return !codes.has(`${at.path} syntax`) && !(rule !== undefined && codes.has(`${at.path} ${rule}`));
  });
}
