import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import type { Reference } from "./marker.ts";
import { refused, unsure, type NeedsChecker, type Reading } from "./reading.ts";
import { refusedGlobals } from "./refused-globals.ts";
import type { Scope } from "./scope.ts";
import type { Type } from "./type.ts";
import { utilities } from "./utilities.ts";

/** A type that comes with the platform. */
export function globalType(name: string, node: Reference, scope: Scope): Type {
  if (isAugmented(scope.reading, name) || (scope.place && isShadowed(scope.reading, name))) throw unsure(scope, node);
  if (name === "Date") return { kind: "known", name: "Date" };
  if (name === "Blob" || name === "File") return { kind: "known", name: "Blob" };
  const reason = refusedGlobals[name];
  if (reason) return refused(reason, name);
  const utility = utilities[name];
  if (!utility) throw unsure(scope, node);
  const give = (): NeedsChecker => unsure(scope, node);
  return utility(node.typeArguments?.params.map((each) => scope.reading.evaluate(each, scope)) ?? [], give);
}

/** True for a global type that some file of the application adds to. */
function isAugmented(reading: Reading, name: string): boolean {
  return augmentedIn(reading, undefined).has(name);
}

/** True for a type of a module that another file adds to, by `declare module` or because both are scripts. */
export function isAugmentedType(reading: Reading, module: SourceModule, name: string): boolean {
  if (augmentedIn(reading, module.path).has(name)) return true;
  const isScript = module.augmentations.some(({ specifier, names }) => specifier === undefined && names.includes(name));
  return isScript && isAugmented(reading, name);
}

/** The names that files add to a module, or to the global scope. */
function augmentedIn(reading: Reading, path: string | undefined): ReadonlySet<string> {
  reading.augmented ??= augmentations(reading.project);
  return reading.augmented.get(path) ?? noNames;
}

const noNames: ReadonlySet<string> = new Set();

function augmentations(project: Project): ReadonlyMap<string | undefined, ReadonlySet<string>> {
  const byPath = new Map<string | undefined, Set<string>>();
  for (const module of [...project.modules(), ...project.ambient()]) {
    for (const { specifier, names } of module.augmentations) {
      const path = specifier === undefined ? undefined : project.resolve(module.path, specifier);
      if (specifier !== undefined && path === undefined) continue;
      const namesOfPath = byPath.get(path) ?? new Set();
      byPath.set(path, namesOfPath);
      for (const name of names) namesOfPath.add(name);
    }
  }
  return byPath;
}

/** In a printed type a bare name may be a module's own unexported one instead of the global. */
function isShadowed(reading: Reading, name: string): boolean {
  const known = reading.shadowed.get(name);
  if (known !== undefined) return known;
  const found = reading.project.modules().some((module) => module.types.has(name));
  reading.shadowed.set(name, found);
  return found;
}
