import { isBuiltin } from "node:module";
import { extname, isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ResolverFactory } from "rolldown/experimental";
import { sharedModules } from "../lib/own-modules.ts";

/** The result of resolving a specifier: a module that the runner evaluates, or one that Node imports. */
export type Resolution =
  | { readonly kind: "module"; readonly path: string }
  | { readonly kind: "native"; readonly url: string };

export interface ModuleResolver {
  /** Undefined if there is no such module. */
  resolve(specifier: string, importer: string): Resolution | undefined;
  clear(): void;
}

const evaluatedExtensions = new Set([".ts", ".mts", ".tsx", ".jsx", ".js", ".mjs", ".json"]);
const typeScriptExtensions = new Set([".ts", ".mts", ".tsx"]);

const options = {
  conditionNames: ["node", "import", "module-sync"],
  extensions: [".ts", ".mts", ".tsx", ".js", ".mjs", ".json"],
  extensionAlias: { ".js": [".ts", ".tsx", ".js"], ".mjs": [".mts", ".mjs"], ".jsx": [".tsx", ".jsx"] },
  mainFields: ["main"],
};

/** Creates a resolver of imports. Generated modules have no path and import from `root`. */
export function createModuleResolver(root: string): ModuleResolver {
  // The second factory ignores a broken tsconfig.json, which TypeScript reports while the application keeps running.
  const factories = [new ResolverFactory({ ...options, tsconfig: "auto" }), new ResolverFactory(options)];

  function resolve(specifier: string, importer: string): Resolution | undefined {
    const own = sharedModules[specifier];
    if (own !== undefined) return native(own);
    if (isBuiltin(specifier) || /^(?:data|https?):/.test(specifier)) return { kind: "native", url: specifier };
    for (const factory of factories) {
      const { path } = isAbsolute(importer)
        ? factory.resolveFileSync(importer, specifier)
        : factory.sync(root, specifier);
      if (path !== undefined) return toResolution(path);
    }
    return undefined;
  }

  const toResolution = (path: string): Resolution =>
    isEvaluated(root, path) ? { kind: "module", path } : native(path);

  return { resolve, clear: () => factories.forEach((factory) => factory.clearCache()) };
}

function native(path: string): Resolution {
  return { kind: "native", url: pathToFileURL(path).href };
}

/**
 * True for an absolute path of a module that fw compiles: sources and tests of the application, and TypeScript of
 * linked packages.
 */
export function isEvaluated(root: string, path: string): boolean {
  const kind = extname(path);
  return (
    evaluatedExtensions.has(kind) && !isInstalled(path) && (isInside(root, path) || typeScriptExtensions.has(kind))
  );
}

function isInside(root: string, path: string): boolean {
  return path.startsWith(root) && (root.endsWith(sep) || /[\\/]/.test(path.charAt(root.length)));
}

function isInstalled(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path);
}
