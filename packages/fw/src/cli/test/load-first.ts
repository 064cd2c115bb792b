import { parseSync } from "rolldown/utils";
import type { ModuleResolver } from "../../workspace/module-resolver.ts";

/** `LoadOrder` with absolute paths. */
export interface TestLoadOrder {
  readonly first: readonly string[];
  /** Every module of an import cycle. */
  readonly inCycles: readonly string[];
}

/**
 * The text of a module with imports of what has to load first, where the module imports part of an import cycle: a
 * test may name any module first. Modules of cycles stay as they are. Lines keep their numbers.
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
