import type { Library } from "./library.ts";
import type { Unit } from "./unit.ts";

/** The units that the given ones call, and those themselves, sorted by the name of their function. */
export function callableUnits(from: readonly Unit[], library: Library): Unit[] {
  const reached = new Map<string, Unit>();
  const add = (unit: Unit): void => {
    if (reached.has(unit.function)) return;
    reached.set(unit.function, unit);
    for (const key of unit.calls) {
      const called = library.unitByKey(key);
      if (called !== undefined) add(called);
    }
  };
  for (const unit of from) add(unit);
  return [...reached.values()].toSorted((a, b) => (a.function < b.function ? -1 : 1));
}

/** The templates to judge by themselves: those that no other uses, and those that only use one another. */
export function pageNames(standalone: ReadonlyMap<string, Unit | undefined>, library: Library): string[] {
  const units = [...standalone.values()].filter((unit) => unit !== undefined);
  const used = new Set(units.flatMap((unit) => usedFiles(unit, library)));
  const pages = units.filter((unit) => !used.has(unit.file));
  const covered = new Set(callableUnits(pages, library).map((unit) => unit.file));
  return units.filter((unit) => !used.has(unit.file) || !covered.has(unit.file)).map((unit) => unit.file);
}

function usedFiles(unit: Unit, library: Library): string[] {
  const called = unit.calls.map((key) => library.unitByKey(key)?.file);
  return called.filter((file) => file !== undefined && file !== unit.file) as string[];
}
