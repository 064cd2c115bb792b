import type { SourceModule } from "./module.ts";

const exportedNames = new WeakMap<SourceModule, ReadonlySet<string>>();

/** True for a top-level name that the module exports, under any name. */
export function isExported(module: SourceModule, name: string): boolean {
  const cached = exportedNames.get(module);
  if (cached) return cached.has(name);
  const names = [...module.exports.values()].flatMap((each) => (each.kind === "local" ? [each.name] : []));
  exportedNames.set(module, new Set(names));
  return names.includes(name);
}
