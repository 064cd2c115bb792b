import { item, type Step, type AccessPaths } from "../../model/render.ts";
import type { Read } from "./reads.ts";

interface MutablePaths {
  readonly properties: Map<string, MutablePaths>;
  items?: MutablePaths;
}

/** Returns the parts of a template's data whose types are needed to check its reads. */
export function accessPathsIn(reads: readonly Read[]): AccessPaths {
  const root: MutablePaths = { properties: new Map() };
  for (const { from, own, isIterated: looped } of reads) {
    if (from !== undefined) grow(root, looped ? [...from, ...own, item] : [...from, ...own]);
  }
  return root;
}

function grow(root: MutablePaths, steps: readonly Step[]): void {
  let at = root;
  for (const step of steps) at = step === item ? (at.items ??= { properties: new Map() }) : property(at, step);
}

function property({ properties }: MutablePaths, name: string): MutablePaths {
  const child = properties.get(name) ?? { properties: new Map() };
  properties.set(name, child);
  return child;
}
