import type { Reference } from "./marker.ts";
import { refused, unsure, type NeedsChecker, type Reading } from "./reading.ts";
import { typesOf, type Scope } from "./scope.ts";
import type { RefusalReason, Type } from "./type.ts";
import { utilities } from "./utilities.ts";

const refusedGlobals: Readonly<Record<string, RefusalReason>> = {
  Map: "map",
  ReadonlyMap: "map",
  WeakMap: "map",
  Set: "set",
  ReadonlySet: "set",
  WeakSet: "set",
  Function: "function",
  CallableFunction: "function",
  Symbol: "symbol",
  Object: "object",
  Promise: "global",
  RegExp: "global",
  Error: "global",
  URL: "global",
  String: "global",
  Number: "global",
  Boolean: "global",
  Uint8Array: "global",
  ArrayBuffer: "global",
  Buffer: "global",
  Iterable: "global",
  AsyncIterable: "global",
  ReadableStream: "global",
  Request: "global",
  Response: "global",
  BigInt: "bigint",
};

/** A type that comes with the platform. */
export function globalType(reading: Reading, name: string, node: Reference, scope: Scope): Type {
  if (isAugmented(reading, name) || (scope.place && isShadowed(reading, name))) throw unsure(scope, node);
  if (name === "Date") return { kind: "known", name: "Date" };
  if (name === "Blob" || name === "File") return { kind: "known", name: "Blob" };
  const reason = refusedGlobals[name];
  if (reason) return refused(reason, name);
  const utility = utilities[name];
  if (!utility) throw unsure(scope, node);
  const give = (): NeedsChecker => unsure(scope, node);
  return utility(node.typeArguments?.params.map((each) => reading.evaluate(each, scope)) ?? [], give);
}

/** Declarations merge across files only inside `declare global` and `declare module`, and in files that are no modules. */
export function isAugmented(reading: Reading, name: string): boolean {
  const { project } = reading;
  reading.augmented ??= new Set([...project.modules(), ...project.ambient()].flatMap((each) => typesOf(each).global));
  return reading.augmented.has(name);
}

/** In a printed type a bare name may be a module's own unexported one instead of the global. */
function isShadowed(reading: Reading, name: string): boolean {
  const known = reading.shadowed.get(name);
  if (known !== undefined) return known;
  const found = reading.project.modules().some((module) => typesOf(module).declarations.has(name));
  reading.shadowed.set(name, found);
  return found;
}
