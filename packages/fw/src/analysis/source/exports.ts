import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { SourceModule } from "./module.ts";

const exportedNames = cachedByObject(
  ({ exports }: SourceModule) =>
    new Set([...exports.values()].flatMap((each) => (each.kind === "local" ? [each.name] : []))),
);

/** True for a top-level name that the module exports, under any name. */
export function isExported(module: SourceModule, name: string): boolean {
  return exportedNames(module).has(name);
}
