import { parseSync } from "rolldown/utils";
import type { ModuleResolver } from "../../workspace/module-resolver.ts";

/** `LoadOrder` with absolute paths. */
export interface TestLoadOrder {
  readonly first: readonly string[];
  /** Every module of an import cycle. */
  readonly inCycles: readonly string[];
}

/**
 * Adds imports to a module that imports from an import cycle, so that the cycle loads in the right order, regardless of
 * which module a test imports first. Leaves modules in cycles unchanged. Keeps line numbers.
 */
export function withLoadOrder(
  path: string,
  text: string,
  { first, inCycles }: TestLoadOrder,
  resolver: ModuleResolver,
): string {
  if (first.length === 0 || inCycles.includes(path)) return text;
  const { module } = parseSync(path, text, { sourceType: "module" });
  const imports = module.staticImports.some(({ moduleRequest }) => {
    const resolved = resolver.resolve(moduleRequest.value, path);
    return resolved?.kind === "module" && inCycles.includes(resolved.path);
  });
  return imports ? first.map((each) => `import ${JSON.stringify(each)}; `).join("") + text : text;
}
