import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import type { TypeReference } from "./marker.ts";
import { refusedType, askChecker, type NeedsChecker, type TypeReading } from "./type-reading.ts";
import { refusedGlobals } from "./refused-globals.ts";
import type { TypeScope } from "./type-scope.ts";
import type { Type } from "./type.ts";
import { utilities } from "./utilities.ts";

export function globalType(name: string, node: TypeReference, scope: TypeScope): Type {
  if (isAugmented(scope.reading, name) || (scope.range && isShadowed(scope.reading, name)))
    throw askChecker(scope, node);
  if (name === "Date") return { kind: "known", name: "Date" };
  if (name === "Blob" || name === "File") return { kind: "known", name: "Blob" };
  const reason = refusedGlobals[name];
  if (reason) return refusedType(reason, name);
  const utility = utilities[name];
  if (!utility) throw askChecker(scope, node);
  const giveUp = (): NeedsChecker => askChecker(scope, node);
  return utility(node.typeArguments?.params.map((each) => scope.reading.evaluate(each, scope)) ?? [], giveUp);
}

/** True for a global type that an application file augments. */
function isAugmented(reading: TypeReading, name: string): boolean {
  return augmentedIn(reading, undefined).has(name);
}

/** True for a module's type that another file augments, with `declare module` or because both files are scripts. */
export function isAugmentedType(reading: TypeReading, module: SourceModule, name: string): boolean {
  if (augmentedIn(reading, module.path).has(name)) return true;
  const isScript = module.augmentations.some(({ specifier, names }) => specifier === undefined && names.includes(name));
  return isScript && isAugmented(reading, name);
}

/** Returns the names that files add to a module or to the global scope. */
function augmentedIn(reading: TypeReading, path: string | undefined): ReadonlySet<string> {
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

/**
 * True if some module declares its own type of this name: a printed type may refer to that one instead of the global.
 */
function isShadowed(reading: TypeReading, name: string): boolean {
  const cached = reading.shadowed.get(name);
  if (cached !== undefined) return cached;
  const isDeclared = reading.project.modules().some((module) => module.types.has(name));
  reading.shadowed.set(name, isDeclared);
  return isDeclared;
}
