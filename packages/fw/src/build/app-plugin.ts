import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "rolldown";
import { and, exactRegex, exclude, id, importerId, not, or, prefixRegex } from "rolldown/filter";
import { parseSync } from "rolldown/utils";
import { relativePath, withForwardSlashes } from "../lib/relative-path.ts";
import { ownDirectory, ownModules } from "../lib/own-modules.ts";
import type { ModuleResolver } from "../workspace/module-resolver.ts";

export interface AppPluginOptions {
  /** The application's directory, absolute and without links. */
  readonly root: string;
  /** Resolves imports of the application's modules. */
  readonly resolver: ModuleResolver;
  /** True to leave fw out of a bundle that is only analyzed and never run. */
  readonly externalFramework: boolean;
  /** Replacement source texts for modules of fw, by path. */
  readonly replacedModules: ReadonlyMap<string, string>;
  /** The file names of generated modules that become separate files, by specifier. */
  readonly separateChunks: ReadonlyMap<string, string>;
  readonly generated: ReadonlyMap<string, string>;
  /** The application's modules as analyzed, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
  /** Side-effect imports by path of the importing module, from `importsForEffects`. */
  readonly effects: ReadonlyMap<string, string>;
  /** Called with each loaded file outside fw and the analyzed modules. */
  readonly onUnhandledFile?: (path: string) => void;
  /** Transforms a module of the application for the bundle. */
  readonly prepare: (path: string, text: string) => string;
}

/**
 * Feeds generated modules and the application's modules to rolldown. An application module is bundled if one of its
 * exports is used, or if another application module imports it for its side effects, as in `import "./setup.ts"`. An
 * import in generated code only determines when a module is evaluated.
 */
export function appPlugin({
  root,
  resolver,
  externalFramework,
  replacedModules: replaced,
  separateChunks,
  generated,
  sources,
  effects,
  onUnhandledFile,
  prepare,
}: AppPluginOptions): Plugin {
  const forEffects = new Set<string>();
  const replacedIds = or(...[...replaced.keys()].map((path) => id(exactRegex(withForwardSlashes(path)))));
  const sourceOf = (id: string | undefined): string | undefined => {
    const path = id === undefined ? undefined : relativePath(root, id);
    return path !== undefined && sources.has(path) ? path : undefined;
  };
  /** Resolves an import in the application exactly as `fw dev` and `fw test` do. */
  const target = (specifier: string, importer: string): string => {
    const resolution = resolver.resolve(specifier, importer);
    if (resolution?.kind === "module") return resolution.path;
    return resolution?.url.startsWith("file:") ? fileURLToPath(resolution.url) : specifier;
  };
  return {
    name: "fw",
    async buildStart() {
      for (const [id, fileName] of separateChunks) this.emitFile({ type: "chunk", id, fileName });
      for (const [path, specifiers] of effects) {
        for (const specifier of specifiers.split("\n")) {
          const importer = join(root, path);
          const resolved = await this.resolve(target(specifier, importer), importer, { skipSelf: true });
          if (resolved !== null) forEffects.add(resolved.id);
        }
      }
    },
    resolveId: {
      filter: [exclude(importerId(ofFramework))],
      async handler(specifier, importer) {
        if (generated.has(specifier)) return specifier;
        const own = ownModules[specifier];
        if (own !== undefined) return { id: own, moduleSideEffects: false, external: externalFramework };
        if (importer !== undefined && separateChunks.has(importer)) return this.resolve(specifier, ownModules["fw"]);
        const byGenerated = importer !== undefined && generated.has(importer) && isAbsolute(specifier);
        if (importer === undefined || !(byGenerated || sourceOf(importer) !== undefined)) return undefined;
        const path = byGenerated ? specifier : target(specifier, importer);
        const resolved = await this.resolve(path, importer, { skipSelf: true });
        if (resolved === null || resolved.external) return resolved;
        return { ...resolved, moduleSideEffects: forEffects.has(resolved.id) };
      },
    },
    load: {
      filter: [exclude(and(id(ofFramework), not(replacedIds)))],
      handler(id) {
        const text = generated.get(id) ?? replaced.get(id);
        if (text !== undefined) return { code: text, moduleType: "js" };
        const path = sourceOf(id);
        if (path === undefined) {
          onUnhandledFile?.(id);
          return undefined;
        }
        return { code: prepare(path, sources.get(path) ?? ""), moduleType: path.endsWith("x") ? "tsx" : "ts" };
      },
    },
  };
}

/** Matches fw's own modules. Skipping the plugin's hooks for these hundreds of files saves a tenth of a build. */
const ofFramework = prefixRegex(withForwardSlashes(ownDirectory));

/** Lists the side-effect imports of each module, one specifier per line. Omits modules without any. */
export function importsForEffects(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const bareImports = [...sources].map(([path, text]): [string, string] => {
    const { module } = parseSync(path, text, { sourceType: "module" });
    const bare = module.staticImports.filter(({ entries }) => entries.length === 0);
    return [path, bare.map(({ moduleRequest }) => moduleRequest.value).join("\n")];
  });
  return new Map(bareImports.filter(([, specifiers]) => specifiers !== ""));
}
