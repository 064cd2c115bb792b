import type { SourceModule } from "./module.ts";

const exportedNames = new WeakMap<SourceModule, ReadonlySet<string>>();

/** True for a name of the top level that the module exports, under any name. */
export function isExported(module: SourceModule, name: string): boolean {
  const known = exportedNames.get(module);
  if (known) return known.has(name);
  const names = [...module.exports.values()].flatMap((each) => (each.kind === "local" ? [each.name] : []));
  exportedNames.set(module, new Set(names));
  return names.includes(name);
}
