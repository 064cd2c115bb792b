import type { SourceModule } from "./module.ts";

const specifiers = new WeakMap<SourceModule, ReadonlySet<string>>();

/** What a module imports from, as it is written. */
export function specifiersOf(module: SourceModule): ReadonlySet<string> {
  const known = specifiers.get(module);
  if (known) return known;
  const found = new Set<string>(module.stars);
  for (const { specifier } of module.imports.values()) found.add(specifier);
  for (const each of module.exports.values()) if (each.kind === "from") found.add(each.specifier);
  for (const statement of module.program.body) {
    if (statement.type === "ImportDeclaration") found.add(statement.source.value);
  }
  specifiers.set(module, found);
  return found;
}
