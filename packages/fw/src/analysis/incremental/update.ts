import { setImmediate } from "node:timers/promises";
import type { Checker } from "../checker/checker.ts";
import { readCall, readModule, type Declared, type DeclaredModule } from "../declared.ts";
import { looksDifferent, identifiersOutside } from "./public-surface.ts";
import { isDestination, isEndpoint } from "../rules/select.ts";
import { isSameData } from "./same-data.ts";
import { importedBy } from "../source/imports.ts";
import type { OpenProject } from "../source/project.ts";
import { withTypes } from "../types/endpoints.ts";

/** The application's modules by path, in order. */
export type DeclaredModules = ReadonlyMap<string, DeclaredModule>;

/** Milliseconds of reading between two chances for the checker to start meanwhile. */
const turn = 10;

/** The declarations of a project as they are now, when some files mean something else than before. */
export async function updateDeclarations(
  project: OpenProject,
  checker: Checker,
  before: DeclaredModules,
  changed: ReadonlySet<string>,
): Promise<DeclaredModules> {
  const read = await readModules(project, before, changed);
  let modules = await typeModules(project, checker, read, before);
  let wave = differing(before, modules, changed);
  const seen = new Set(wave);
  while (wave.size > 0) {
    const importers = [...modules.values()].filter(({ module }) => meets(importedBy(project, module).all, wave));
    const asked = await typeModules(project, checker, askAgain(project, modules, importers, before), modules);
    wave = new Set(
      importers
        .filter((each) => passesOn(project, each, asked, wave))
        .map(({ module }) => module.path)
        .filter((path) => !seen.has(path)),
    );
    for (const path of wave) seen.add(path);
    modules = asked;
  }
  return modules;
}

async function readModules(
  project: OpenProject,
  before: DeclaredModules,
  changed: ReadonlySet<string>,
): Promise<DeclaredModules> {
  const modules = new Map<string, DeclaredModule>();
  let since = performance.now();
  for (const path of project.files()) {
    const module = project.module(path);
    const known = before.get(path);
    if (!module) continue;
    modules.set(path, known?.module === module ? readAgain(project, known, changed) : readModule(project, module));
    if (performance.now() - since < turn) continue;
    await setImmediate();
    since = performance.now();
  }
  return modules;
}

/** A module that stayed, with those of its declarations read again that depend on what changed. */
function readAgain(project: OpenProject, before: DeclaredModule, changed: ReadonlySet<string>): DeclaredModule {
  const moved = changed.has(before.module.path) || meets(before.files, changed);
  const known = moved ? readModule(project, before.module, before) : before;
  return replace(project, known, ({ files, failure }) => failure !== undefined || meets(files, changed));
}

function replace(project: OpenProject, known: DeclaredModule, stale: (declared: Declared) => boolean): DeclaredModule {
  if (!known.declared.some(stale)) return known;
  return { ...known, declared: known.declared.map((each) => (stale(each) ? readCall(project, each.call) : each)) };
}

/** Paths of modules that others have to look at again. */
function differing(before: DeclaredModules, after: DeclaredModules, changed: ReadonlySet<string>): ReadonlySet<string> {
  if (before.size === 0) return new Set();
  const found = new Set<string>();
  for (const path of changed) {
    const known = before.get(path);
    const sameText = known !== undefined && known.module.text === after.get(path)?.module.text;
    if (sameText || looksDifferent(before.get(path), after.get(path))) found.add(path);
  }
  for (const [path, module] of after)
    if (!changed.has(path) && looksDifferent(before.get(path), module)) found.add(path);
  return found;
}

/** Has what the checker inferred in some modules inferred again, unless that was done since the change. */
function askAgain(
  project: OpenProject,
  modules: DeclaredModules,
  importers: readonly DeclaredModule[],
  before: DeclaredModules,
): DeclaredModules {
  const found = new Map(modules);
  for (const each of importers) {
    const old = new Set(before.get(each.module.path)?.declared);
    found.set(
      each.module.path,
      replace(project, each, (declared) => declared.asked && old.has(declared)),
    );
  }
  return found;
}

/** True when modules that import this one have to look again, too. */
function passesOn(
  project: OpenProject,
  known: DeclaredModule,
  after: DeclaredModules,
  wave: ReadonlySet<string>,
): boolean {
  const { module } = known;
  if (looksDifferent(known, after.get(module.path))) return true;
  const leads = (specifier: string): boolean => wave.has(project.resolve(module.path, specifier) ?? "");
  if (module.stars.some(leads)) return true;
  if ([...module.exports.values()].some((each) => each.kind === "from" && leads(each.specifier))) return true;
  const names = [...module.imports].filter(([, { specifier }]) => leads(specifier)).map(([name]) => name);
  const words = identifiersOutside(known);
  return names.some((name) => words.has(name));
}

/** Adds the types that are not there yet. Declarations that come out as they were keep their reading. */
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
    const known = before.get(path);
    if (known === module) finished.set(path, module);
    else
      finished.set(path, {
        ...module,
        declared: keepSame(
          module.declared.map((each) => results.get(each) ?? each),
          known,
        ),
      });
  }
  return finished;
}

function isUntyped({ read, failure }: Declared): boolean {
  if (failure !== undefined || read === undefined) return false;
  const isTyped = isEndpoint(read) || isDestination(read) || read.kind === "entity" || read.kind === "authenticator";
  return isTyped && read.types === undefined;
}

/** The new declarations, with the old readings in place of those that came out the same. */
function keepSame(declared: readonly Declared[], known: DeclaredModule | undefined): readonly Declared[] {
  const before = new Map(known?.declared.map((each) => [each.call.variable, each]));
  return declared.map((each) => {
    const old = before.get(each.call.variable);
    if (!old || old === each) return each;
    const isSame = old.read && isSameData(old.read, each.read) && isSameData(old.types, each.types);
    return isSame ? { ...each, read: old.read, types: old.types } : each;
  });
}

function meets(files: ReadonlySet<string>, changed: ReadonlySet<string>): boolean {
  const [fewer, more] = files.size < changed.size ? [files, changed] : [changed, files];
  for (const path of fewer) if (more.has(path)) return true;
  return false;
}
