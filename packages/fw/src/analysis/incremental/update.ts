import { setImmediate } from "node:timers/promises";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { Checker } from "../checker/checker.ts";
import { readCall, readModule, type DeclaredCall, type DeclaredModule } from "../declared.ts";
import { surfaceChanged, identifiersOutside } from "./public-surface.ts";
import { hasDecision, isDestination, isEndpoint } from "../rules/select.ts";
import { isSameData } from "./same-data.ts";
import { mayImportItself, unaffectedStatements } from "./unaffected-statements.ts";
import { exportsAliases, type DeclarationCall } from "../resolution/declarations.ts";
import { importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { withTypes } from "../types/endpoints.ts";

/** The application's modules by path, sorted. */
export type DeclaredModules = ReadonlyMap<string, DeclaredModule>;

/** Milliseconds of work before yielding to the event loop, so that the checker can start. */
const turn = 10;

/** Updates the declarations of a project after the meaning of some files changed. */
export async function updateDeclarations(
  project: OpenProject,
  checker: Checker,
  before: DeclaredModules,
  changed: ReadonlySet<string>,
): Promise<DeclaredModules> {
  const read = await readModules(project, before, changed);
  let modules = await typeModules(project, checker, read, before);
  let wave = changedSurfaces(before, modules, changed);
  // Fast path: most saves change only the body of a handler.
  if (wave.size === 0) return modules;
  const visited = new Set(wave);
  const imported = importedPaths(project, modules);
  while (wave.size > 0) {
    const importers = [...modules.values()].filter(({ module }) => intersects(importedBy(project, module).all, wave));
    const rechecked = await typeModules(
      project,
      checker,
      dropInferredTypes(project, modules, importers, before),
      modules,
    );
    wave = new Set(
      importers
        .filter((each) => imported.has(each.module.path) && affectsImporters(project, each, rechecked, wave))
        .map(({ module }) => module.path)
        .filter((path) => !visited.has(path)),
    );
    for (const path of wave) visited.add(path);
    modules = rechecked;
  }
  return modules;
}

async function readModules(
  project: OpenProject,
  before: DeclaredModules,
  changed: ReadonlySet<string>,
): Promise<DeclaredModules> {
  const modules = new Map<string, DeclaredModule>();
  const changedAliases = new Set([...changed].filter((path) => mayChangeAliases(project, before, path)));
  let since = performance.now();
  for (const path of project.files()) {
    const module = project.module(path);
    const previous = before.get(path);
    if (!module) continue;
    modules.set(
      path,
      previous?.module === module
        ? readAgain(project, previous, { changed, changedAliases })
        : readModule(project, module, { findUnaffected: unaffectedReadings(project, module, previous, changed) }),
    );
    if (performance.now() - since < turn) continue;
    await setImmediate();
    since = performance.now();
  }
  return modules;
}

/** False if an edit cannot affect aliases in other modules, because neither version exports an alias. */
function mayChangeAliases(project: OpenProject, before: DeclaredModules, path: string): boolean {
  return [before.get(path)?.module, project.module(path)].some(
    (module) => module === undefined || !parses(module) || exportsAliases(module),
  );
}

interface ChangedPaths {
  readonly changed: ReadonlySet<string>;
  /** Paths of modules whose exports may now lead to other declaring functions of fw. */
  readonly changedAliases: ReadonlySet<string>;
}

/** Rereads the declarations of an unchanged module that depend on changed files or that failed before. */
function readAgain(
  project: OpenProject,
  before: DeclaredModule,
  { changed, changedAliases }: ChangedPaths,
): DeclaredModule {
  // If all functions come from `fw`, other modules matter only if their aliases change.
  const relevantChanges = before.functions === undefined ? changed : changedAliases;
  const mayDeclareOthers = changed.has(before.module.path) || intersects(before.files, relevantChanges);
  const current = mayDeclareOthers ? readModule(project, before.module, { previous: before }) : before;
  if (!mayDeclareOthers && !intersects(filesOf(before), changed) && !hasFailures(before)) return before;
  return rereadCalls(project, current, ({ files, failure }) => failure !== undefined || intersects(files, changed));
}

/** Returns the files that the declarations of a module were read from. */
const filesOf = cachedByObject(
  ({ declared }: DeclaredModule): ReadonlySet<string> => new Set(declared.flatMap(({ files }) => [...files])),
);

const hasFailures = cachedByObject(({ declared }: DeclaredModule) =>
  declared.some(({ failure }) => failure !== undefined),
);

/**
 * Returns a function that finds the previous reading of a declaration in an edited module, if the edit cannot have
 * affected it: most saves change one declaration of many.
 */
function unaffectedReadings(
  project: OpenProject,
  module: SourceModule,
  previous: DeclaredModule | undefined,
  changed: ReadonlySet<string>,
): (call: DeclarationCall) => DeclaredCall | undefined {
  const isAlone = previous !== undefined && changed.size === 1 && changed.has(module.path);
  if (!isAlone || !parses(previous.module) || !parses(module) || mayImportItself(project, module))
    return () => undefined;
  const statements = unaffectedStatements(previous.module, module);
  const before = new Map(previous.declared.map((each) => [each.call.variable, each]));
  return (call) => {
    const old = before.get(call.variable);
    const isInside = statements.some(({ start, end }) => start <= call.call.start && call.call.end <= end);
    return old !== undefined && isInside && isRepeatable(old, call) ? { ...old, call } : undefined;
  };
}

function parses({ syntaxErrors }: SourceModule): boolean {
  return syntaxErrors.length === 0;
}

/** True if a reading is also valid for the call in the new syntax tree. It must not refer to nodes of the old tree. */
function isRepeatable({ call, read, failure, literals = [] }: DeclaredCall, next: DeclarationCall): boolean {
  if (read === undefined || failure !== undefined || call.variable === undefined) return false;
  const hasOwnLiterals = literals.some(({ module }) => module.path === call.module.path);
  const isSameDeclaration =
    call.name === next.name && call.placement === next.placement && call.exported === next.exported;
  return isSameDeclaration && call.call.start === next.call.start && !hasOwnLiterals;
}

function rereadCalls(
  project: OpenProject,
  module: DeclaredModule,
  isOutdated: (declared: DeclaredCall) => boolean,
): DeclaredModule {
  if (!module.declared.some(isOutdated)) return module;
  return {
    ...module,
    declared: module.declared.map((each) => (isOutdated(each) ? readCall(project, each.call) : each)),
  };
}

/** Returns the paths of modules whose importers must be checked again. */
function changedSurfaces(
  before: DeclaredModules,
  after: DeclaredModules,
  changed: ReadonlySet<string>,
): ReadonlySet<string> {
  if (before.size === 0) return new Set();
  const paths = new Set<string>();
  for (const path of changed) {
    const previous = before.get(path);
    const sameText = previous !== undefined && previous.module.text === after.get(path)?.module.text;
    if (sameText || surfaceChanged(before.get(path), after.get(path))) paths.add(path);
  }
  for (const [path, module] of after)
    if (!changed.has(path) && surfaceChanged(before.get(path), module)) paths.add(path);
  return paths;
}

function importedPaths(project: OpenProject, modules: DeclaredModules): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { module } of modules.values()) for (const path of importedBy(project, module).all) paths.add(path);
  return paths;
}

/** Discards types that the checker inferred before the change, so that it infers them again. */
function dropInferredTypes(
  project: OpenProject,
  modules: DeclaredModules,
  importers: readonly DeclaredModule[],
  before: DeclaredModules,
): DeclaredModules {
  const checkedModules = importers.filter(({ declared }) => declared.some(({ isChecked }) => isChecked));
  if (checkedModules.length === 0) return modules;
  const result = new Map(modules);
  for (const each of checkedModules) {
    const old = new Set(before.get(each.module.path)?.declared);
    result.set(
      each.module.path,
      rereadCalls(project, each, (declared) => declared.isChecked && old.has(declared)),
    );
  }
  return result;
}

/** True if the importers of this module must also be checked again. */
function affectsImporters(
  project: OpenProject,
  before: DeclaredModule,
  after: DeclaredModules,
  wave: ReadonlySet<string>,
): boolean {
  const { module } = before;
  if (surfaceChanged(before, after.get(module.path))) return true;
  const isInWave = (specifier: string): boolean => wave.has(project.resolve(module.path, specifier) ?? "");
  if (module.stars.some(isInWave)) return true;
  if ([...module.exports.values()].some((each) => each.kind === "from" && isInWave(each.specifier))) return true;
  const names = [...module.imports].filter(([, { specifier }]) => isInWave(specifier)).map(([name]) => name);
  const words = identifiersOutside(before);
  return names.some((name) => words.has(name));
}

/** Adds missing types. A declaration that is equal to the previous one keeps the objects of its reading and types. */
async function typeModules(
  project: OpenProject,
  checker: Checker,
  modules: DeclaredModules,
  before: DeclaredModules,
): Promise<DeclaredModules> {
  const untyped = [...modules].flatMap(([path, module]) =>
    before.get(path) === module ? [] : module.declared.filter(isUntyped),
  );
  if (untyped.length === 0) return modules;
  const typed = await withTypes(project, checker, untyped);
  const results = new Map(untyped.map((each, index) => [each, typed[index] ?? each]));
  const finished = new Map<string, DeclaredModule>();
  for (const [path, module] of modules) {
    const previous = before.get(path);
    if (previous === module) finished.set(path, module);
    else
      finished.set(path, {
        ...module,
        declared: keepSame(
          module.declared.map((each) => results.get(each) ?? each),
          previous,
        ),
      });
  }
  return finished;
}

function isUntyped({ read, failure }: DeclaredCall): boolean {
  if (failure !== undefined || read === undefined) return false;
  const isTyped =
    isEndpoint(read) ||
    isDestination(read) ||
    read.kind === "entity" ||
    read.kind === "authenticator" ||
    hasDecision(read) ||
    read.kind === "tenant" ||
    read.kind === "errors" ||
    read.kind === "feed" ||
    read.kind === "mail";
  return isTyped && read.types === undefined;
}

/** Returns the new declarations, with the previous readings and types where they are equal. */
function keepSame(declared: readonly DeclaredCall[], previous: DeclaredModule | undefined): readonly DeclaredCall[] {
  const before = new Map(previous?.declared.map((each) => [each.call.variable, each]));
  return declared.map((each) => {
    const old = before.get(each.call.variable);
    if (!old || old === each) return each;
    const isSame = old.read && isSameData(old.read, each.read) && isSameData(old.types, each.types);
    return isSame ? { ...each, read: old.read, types: old.types } : each;
  });
}

function intersects(files: ReadonlySet<string>, changed: ReadonlySet<string>): boolean {
  const [fewer, more] = files.size < changed.size ? [files, changed] : [changed, files];
  for (const path of fewer) if (more.has(path)) return true;
  return false;
}
