import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "rolldown";
import { and, exactRegex, exclude, id, importerId, not, or, prefixRegex } from "rolldown/filter";
import { parseSync } from "rolldown/utils";
import { ownDirectory, ownModules } from "../lib/own-modules.ts";
import type { ModuleResolver } from "../workspace/module-resolver.ts";

export interface AppPluginOptions {
  /** The application's directory, absolute, without links. */
  readonly root: string;
  /** Says where imports of the application's modules lead. */
  readonly resolver: ModuleResolver;
  /** True to leave fw out, which declares nothing, of a bundle that is looked at and never run. */
  readonly externalFramework: boolean;
  /** Texts of modules of fw that are other ones in this bundle, by path. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Generated modules that are files of their own, by specifier: names. */
  readonly separateChunks: ReadonlyMap<string, string>;
  /** Generated modules by specifier. */
  readonly generated: ReadonlyMap<string, string>;
  /** The application's modules as they were analysed, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
  /** By path of a module, what it imports for its effects alone: `importsForEffects`. */
  readonly effects: ReadonlyMap<string, string>;
  /** Told of each file that is loaded as it is and not fw's. */
  readonly onUnhandledFile?: (path: string) => void;
  /** A module of the application as it goes into the bundle. */
  readonly prepare: (path: string, text: string) => string;
}

/**
 * Gives generated modules and those of the application to rolldown. A module of the application stays where a name
 * that it exports is used, or where some module of the application imports it for its effects alone: `import
 * "./setup.ts"`. An import by generated code alone only decides when a module is evaluated.
 */
export function appPlugin({
  root,
  resolver,
  externalFramework,
  replaced,
  separateChunks,
  generated,
  sources,
  effects,
  onUnhandledFile,
  prepare,
}: AppPluginOptions): Plugin {
  const forEffects = new Set<string>();
  const replacedOnes = or(...[...replaced.keys()].map((path) => id(exactRegex(slashed(path)))));
  const sourceOf = (id: string | undefined): string | undefined => {
    const path = id === undefined ? undefined : slashed(relative(root, id));
    return path !== undefined && sources.has(path) ? path : undefined;
  };
  /** Where an import of the application leads, as in whatever else runs it. */
  const target = (specifier: string, importer: string): string => {
    const found = resolver.resolve(specifier, importer);
    if (found?.kind === "module") return found.path;
    return found?.url.startsWith("file:") ? fileURLToPath(found.url) : specifier;
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
      filter: [exclude(and(id(ofFramework), not(replacedOnes)))],
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

/** Modules of fw itself, which are several hundred: asking about each of them in vain takes a tenth of a build. */
const ofFramework = prefixRegex(slashed(ownDirectory));

function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** What each module imports for its effects alone, a specifier a line; modules that import nothing so are left out. */
export function importsForEffects(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const found = [...sources].map(([path, text]): [string, string] => {
    const { module } = parseSync(path, text, { sourceType: "module" });
    const bare = module.staticImports.filter(({ entries }) => entries.length === 0);
    return [path, bare.map(({ moduleRequest }) => moduleRequest.value).join("\n")];
  });
  return new Map(found.filter(([, specifiers]) => specifiers !== ""));
}
