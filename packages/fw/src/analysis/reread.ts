import { setImmediate } from "node:timers/promises";
import { readCall, readModule, type Declared, type DeclaredModule } from "./declared.ts";
import { withTypes } from "./endpoint-types.ts";
import { isEndpoint } from "./rules/select.ts";
import type { Checker } from "./source/checker.ts";
import { importersOf } from "./source/imports.ts";
import type { OpenProject } from "./source/project.ts";

export type DeclaredModules = ReadonlyMap<string, DeclaredModule>;

/** Milliseconds of reading between two chances for the checker to start meanwhile. */
const turn = 10;

/** The modules of a project as they are now: what the change of some files reaches is read again, but for its types. */
export async function readModules(
  project: OpenProject,
  before: DeclaredModules,
  changed: ReadonlySet<string>,
): Promise<Map<string, DeclaredModule>> {
  const modules = new Map<string, DeclaredModule>();
  const importers = hasAsked(before) && changed.size > 0 ? importersOf(project, changed) : changed;
  let since = performance.now();
  for (const path of project.files()) {
    const module = project.module(path);
    const known = before.get(path);
    if (!module) continue;
    const same = known && known.module === module && !changed.has(path) && !meets(known.files, changed);
    modules.set(path, same ? readAgain(project, known, changed, importers) : readModule(project, module));
    if (performance.now() - since < turn) continue;
    await setImmediate();
    since = performance.now();
  }
  return modules;
}

function hasAsked(modules: DeclaredModules): boolean {
  for (const { declared } of modules.values()) if (declared.some(({ asked }) => asked)) return true;
  return false;
}

/** A module that stayed, with those of its declarations read again that depend on what changed. */
function readAgain(
  project: OpenProject,
  known: DeclaredModule,
  changed: ReadonlySet<string>,
  importers: ReadonlySet<string>,
): DeclaredModule {
  const stale = ({ files, asked, failure }: Declared): boolean =>
    failure !== undefined || meets(files, changed) || (asked && importers.has(known.module.path));
  if (!known.declared.some(stale)) return known;
  return { ...known, declared: known.declared.map((each) => (stale(each) ? readCall(project, each.call) : each)) };
}

/** Adds the types that are not there yet. Declarations that come out as they were stay the same objects. */
export async function typeModules(
  project: OpenProject,
  checker: Checker,
  modules: DeclaredModules,
  before: DeclaredModules,
): Promise<Map<string, DeclaredModule>> {
  const untyped = [...modules.values()].flatMap(({ declared }) => declared.filter(isUntyped));
  const typed = await withTypes(project, checker, untyped);
  const results = new Map(untyped.map((each, index) => [each, typed[index] ?? each]));
  const finished = new Map<string, DeclaredModule>();
  for (const [path, module] of modules) {
    const known = before.get(path);
    if (known === module) finished.set(path, module);
    else finished.set(path, { ...module, declared: keepSame(module.declared.map((each) => results.get(each) ?? each), known) });
  }
  return finished;
}

function isUntyped({ read }: Declared): boolean {
  return read !== undefined && isEndpoint(read) && read.types === undefined;
}

/** The new readings, with the old ones in place of those that came out the same. */
function keepSame(declared: readonly Declared[], known: DeclaredModule | undefined): readonly Declared[] {
  const before = new Map(known?.declared.map((each) => [each.call.variable, each]));
  return declared.map((each) => {
    const old = before.get(each.call.variable);
    const isSame = old?.read && sameData([old.read, old.types], [each.read, each.types]);
    return isSame ? { ...each, read: old.read, types: old.types } : each;
  });
}

function sameData(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, plain) === JSON.stringify(other, plain);
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

function meets(files: ReadonlySet<string>, changed: ReadonlySet<string>): boolean {
  if (changed.size === 0) return false;
  for (const path of files) if (changed.has(path)) return true;
  return false;
}
