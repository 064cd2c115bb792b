import { item, type Step, type AccessPaths } from "../../model/render.ts";
import type { Read } from "./reads.ts";

interface Growing {
  readonly properties: Map<string, Growing>;
  items?: Growing;
}

/** What has to be known of a template's data so that its reads can be judged. */
export function accessPathsIn(reads: readonly Read[]): AccessPaths {
  const root: Growing = { properties: new Map() };
  for (const { from, own, looped } of reads) {
    if (from !== undefined) grow(root, looped ? [...from, ...own, item] : [...from, ...own]);
  }
  return root;
}

function grow(root: Growing, steps: readonly Step[]): void {
  let at = root;
  for (const step of steps) at = step === item ? (at.items ??= { properties: new Map() }) : property(at, step);
}

function property({ properties }: Growing, name: string): Growing {
  const known = properties.get(name) ?? { properties: new Map() };
  properties.set(name, known);
  return known;
}
