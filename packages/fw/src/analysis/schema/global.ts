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

/** Declarations merge across files only inside `declare global` and `declare module`, and in files that are no modules. */
export function isAugmented(reading: Reading, name: string): boolean {
  const { project } = reading;
  reading.augmented ??= new Set([...project.modules(), ...project.ambient()].flatMap((each) => each.globalTypes));
  return reading.augmented.has(name);
}

/** In a printed type a bare name may be a module's own unexported one instead of the global. */
function isShadowed(reading: Reading, name: string): boolean {
  const known = reading.shadowed.get(name);
  if (known !== undefined) return known;
  const found = reading.project.modules().some((module) => module.types.has(name));
  reading.shadowed.set(name, found);
  return found;
}
