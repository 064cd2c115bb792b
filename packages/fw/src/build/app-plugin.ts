import { relative, sep } from "node:path";
import type { Plugin } from "rolldown";
import { parseSync } from "rolldown/utils";
import { ownModules } from "./own-modules.ts";

export interface AppPluginOptions {
  /** The application's directory, absolute, without links. */
  readonly root: string;
  /** Modules of fw that the bundle never loads. */
  readonly leftOut: readonly string[];
  /** Generated modules by specifier. */
  readonly generated: ReadonlyMap<string, string>;
  /** The application's modules as they were analysed, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
  /** A module of the application as it goes into the bundle. */
  readonly prepare: (path: string, text: string) => string;
}

/**
 * Gives generated modules and those of the application to rolldown. A module that code of the application imports names of
 * stays where one of them is used, or where some module imports it for its effects alone: `import "./setup.ts"`.
 */
export function appPlugin({ root, leftOut, generated, sources, prepare }: AppPluginOptions): Plugin {
  const forEffects = new Set<string>();
  const sourceOf = (id: string | undefined): string | undefined => {
    const path = id === undefined ? undefined : relative(root, id).split(sep).join("/");
    return path !== undefined && sources.has(path) ? path : undefined;
  };
  return {
    name: "fw",
    async buildStart() {
      for (const [path, text] of sources) {
        for (const specifier of importedForEffects(path, text)) {
          const resolved = await this.resolve(specifier, `${root}/${path}`, { skipSelf: true });
          if (resolved !== null) forEffects.add(resolved.id);
        }
      }
    },
    async resolveId(specifier, importer) {
      if (generated.has(specifier)) return specifier;
      const own = ownModules[specifier];
      if (own !== undefined) return { id: own, moduleSideEffects: false };
      if (sourceOf(importer) === undefined) return undefined;
      const resolved = await this.resolve(specifier, importer, { skipSelf: true });
      if (resolved === null || resolved.external) return resolved;
      return { ...resolved, moduleSideEffects: forEffects.has(resolved.id) };
    },
    load(id) {
      const text = generated.get(id);
      if (text !== undefined) return { code: text, moduleType: "js" };
      if (leftOut.includes(id)) return { code: "export {};\n", moduleType: "js" };
      const path = sourceOf(id);
      if (path === undefined) return undefined;
      return { code: prepare(path, sources.get(path) ?? ""), moduleType: /\.[mc]?tsx?$/.exec(path) ? "ts" : "js" };
    },
  };
}

function importedForEffects(path: string, text: string): readonly string[] {
  const { module } = parseSync(path, text, { sourceType: "module" });
  return module.staticImports
    .filter(({ entries }) => entries.length === 0)
    .map(({ moduleRequest }) => moduleRequest.value);
}
