import { join } from "node:path";
import { inSourceOrder, lineOf, type Diagnostic, type Span } from "../model/diagnostic.ts";
import { cachedByObject } from "../lib/cached-by-object.ts";
import type { DeclaredModule } from "./declared.ts";
import { fixOf } from "./fixes/fix.ts";
import { computedImports } from "./modules/computed-imports.ts";
import { loadCycles } from "./modules/load-cycles.ts";
import { manifestProblems } from "./modules/manifest.ts";
import { missingImports } from "./modules/missing-imports.ts";
import { unrunnableCode } from "./modules/unrunnable.ts";
import type { QueriesRead } from "./readers/query.ts";
import type { Parsed, ParsedApp } from "./readers/parsed.ts";
import { sharedNames, sharedServices } from "./readers/shared-services.ts";
import type { CodedFinding } from "./rule.ts";
import { check, checkDeclaration } from "./rules/check.ts";
import { directoryOf, isDirectory, isFile } from "./source/files.ts";
import { importersOf } from "./source/imports.ts";
import { spanOf } from "./source/position.ts";
import type { Project } from "./source/project.ts";

export interface Findings extends Omit<ParsedApp, "isComplete" | "hasDirectory" | "hasFile" | "sources"> {
  readonly modules: readonly DeclaredModule[];
}

/**
 * Returns the problems that fw finds in an application, in source order. Rules other than not-traced do not report on
 * packages that depend on a file with a syntax error or a missing import.
 */
export function diagnose(
  project: Project,
  {
    packages,
    modules,
    queries,
    rawCalls,
    machineTimes,
    loopReads,
    lostPromises,
    unfollowed,
    untraced,
    tenantEscapes,
  }: Findings,
): readonly Diagnostic[] {
  const syntax = modules.flatMap(({ module }) => module.syntaxErrors);
  const failures = modules.flatMap(failuresIn);
  const imports = missingImports(project, modules);
  const unreliable = unreliablePackages(project, modules, imports);
  const whole = packages.filter(({ dir }) => !unreliable.has(dir));
  const hasDirectory = (dir: string): boolean => isDirectory(join(project.root, dir));
  return [
    ...manifestProblems(project.root),
    ...syntax,
    ...imports,
    ...unrunnableCode(project, modules),
    ...computedImports(project, modules),
    ...loadCycles(project, modules),
    ...sharedNames(packages),
    ...sharedServices(packages),
    ...failures,
    ...check({
      packages: whole,
      isComplete: whole.length === packages.length && syntax.length === 0,
      hasDirectory,
      hasFile: (path) => isFile(join(project.root, path)),
      sources: modules.map(({ module }) => module.path),
      queries: withoutDirectories(queries, unreliable),
      rawCalls: rawCalls.filter(({ at }) => !unreliable.has(directoryOf(at.path))),
      machineTimes: machineTimes.filter(({ at }) => !unreliable.has(directoryOf(at.path))),
      loopReads: loopReads.filter(({ at }) => !unreliable.has(directoryOf(at.path))),
      lostPromises: lostPromises.filter(({ at }) => !unreliable.has(directoryOf(at.path))),
      unfollowed: unfollowed.filter(({ at }) => !unreliable.has(directoryOf(at.path))),
      untraced,
      tenantEscapes: tenantEscapes.filter(({ at }) => !unreliable.has(directoryOf(at.path))),
    }).map((judged) => withFix(project, judged)),
  ].toSorted((a, b) => inSourceOrder(a.at, b.at));
}

const failuresIn = cachedByObject(({ declared }: DeclaredModule) => declared.flatMap(({ failure }) => failure ?? []));

function withFix(project: Project, { fix: intent, ...found }: CodedFinding): Diagnostic {
  const fix = intent && fixOf(project, intent);
  return fix === undefined ? found : { ...found, fix };
}

/**
 * Finds packages that depend on a file with a syntax error or a missing import. Their other problems may be
 * consequences.
 */
function unreliablePackages(
  project: Project,
  modules: readonly DeclaredModule[],
  imports: readonly Diagnostic[],
): ReadonlySet<string> {
  const unparsed = modules.filter(({ module }) => module.syntaxErrors.length > 0).map(({ module }) => module.path);
  const broken = new Set([...unparsed, ...imports.map(({ at }) => at.path)]);
  const dirs = new Set([...broken].map(directoryOf));
  if (broken.size === 0) return dirs;
  const importers = importersOf(project, broken);
  for (const { module, declared, files } of modules) {
    const isAffected = [files, ...declared.map((each) => each.files)].some((paths) =>
      [...paths].some((path) => broken.has(path)),
    );
    if (isAffected || (importers.has(module.path) && declared.some(({ isChecked }) => isChecked)))
      dirs.add(directoryOf(module.path));
  }
  return dirs;
}

/** Drops the uses, fields and faults of queries in these directories. */
function withoutDirectories(queries: QueriesRead, dirs: ReadonlySet<string>): QueriesRead {
  const isOutside = ({ at }: { readonly at: Diagnostic["at"] }): boolean => !dirs.has(directoryOf(at.path));
  const { uses, fields, faults } = queries;
  return {
    ...queries,
    uses: uses.filter(isOutside),
    fields: fields.filter(isOutside),
    faults: faults.filter(isOutside),
  };
}

/** The declarations about which rules report problems, as data that does not retain the syntax trees. */
export interface DeclarationProblems {
  /** The names of the declarations that must be exported but are not. */
  readonly unexported: ReadonlySet<string>;
  /** The locations of all declarations with a problem, by the path of their module. */
  readonly places: ReadonlyMap<string, readonly Span[]>;
}

export function declarationProblems(modules: readonly DeclaredModule[]): DeclarationProblems {
  const unexported = new Set<string>();
  const places = new Map<string, readonly Span[]>();
  for (const { module, declared } of modules) {
    const wrong = declared.filter(({ read }) => read !== undefined && checkDeclaration(read).length > 0);
    for (const { call, read } of wrong)
      if (read && call.variable !== undefined && isUnexported(read)) unexported.add(call.variable);
    if (wrong.length === 0) continue;
    const spans = wrong.map(({ call }) => spanOf(call.module, call.call));
    places.set(module.path, [...(places.get(module.path) ?? []), ...spans]);
  }
  return { unexported, places };
}

/** Drops TypeScript errors that a syntax error, a missing import or a rule already reports. */
export function withoutRepeats(
  typeErrors: readonly Diagnostic[],
  reported: readonly Diagnostic[],
  problems: DeclarationProblems,
): readonly Diagnostic[] {
  const unparsed = new Set(reported.filter(({ code }) => code === "syntax").map(({ at }) => at.path));
  // A mistake that a rule reports often causes type errors on the same line, so the rule's message is enough. The
  // exception is a type that cannot be sent: TypeScript may know the reason.
  const causes = reported.filter(({ code }) => code !== "fw/wire-type");
  const lines = new Set(causes.map(({ at }) => lineOf(at)));
  return typeErrors.filter((each) => {
    const { at, code, message } = each;
    if (unparsed.has(at.path) || lines.has(lineOf(at)) || isReportedUnexported(problems, message)) return false;
    return !/\bfw\/[a-z-]+/.test(`${code} ${message}`) || !isReportedElsewhere(problems, each);
  });
}

/** True if an error's `message` is about the import of a declaration that a rule reports as unexported. */
function isReportedUnexported({ unexported }: DeclarationProblems, message: string): boolean {
  const name = /\bdeclares '([^']+)' locally, but it is not exported/.exec(message)?.[1];
  return name !== undefined && unexported.has(name);
}

function isUnexported(read: Parsed): boolean {
  return checkDeclaration(read).some(({ code }) => code.startsWith("fw/unexported-"));
}

/** True for an error inside a declaration about which a rule reports a problem, which may be at another location. */
function isReportedElsewhere({ places }: DeclarationProblems, { at }: Diagnostic): boolean {
  return (places.get(at.path) ?? []).some((place) => contains(place, at));
}

function contains(outer: Span, inner: Span): boolean {
  const isBehind = inner.line > outer.line || (inner.line === outer.line && inner.column >= outer.column);
  const isBefore =
    inner.endLine < outer.endLine || (inner.endLine === outer.endLine && inner.endColumn <= outer.endColumn);
  return isBehind && isBefore;
}
