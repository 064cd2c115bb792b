import { isBuiltin } from "node:module";
import { extname, isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ResolverFactory } from "rolldown/experimental";
import { ownModules } from "../lib/own-modules.ts";

/** What a specifier stands for: a module the runner evaluates, or one that Node imports itself. */
export type Resolution =
  | { readonly kind: "module"; readonly path: string }
  | { readonly kind: "native"; readonly url: string };

export interface ModuleResolver {
  /** Undefined when there is no such module. */
  resolve(specifier: string, importer: string): Resolution | undefined;
  /** Forgets what was seen on disk. */
  clear(): void;
}

const evaluated = new Set([".ts", ".mts", ".tsx", ".jsx", ".js", ".mjs", ".json"]);
const typescript = new Set([".ts", ".mts", ".tsx"]);

const options = {
  conditionNames: ["node", "import", "module-sync"],
  extensions: [".ts", ".mts", ".tsx", ".js", ".mjs", ".json"],
  extensionAlias: { ".js": [".ts", ".tsx", ".js"], ".mjs": [".mts", ".mjs"], ".jsx": [".tsx", ".jsx"] },
  mainFields: ["main"],
};

/** Generated modules have no path and import from `root`. */
export function createModuleResolver(root: string): ModuleResolver {
  // Without tsconfig.json for when that is broken: TypeScript tells what is wrong with it, and the application runs on.
  const factories = [new ResolverFactory({ ...options, tsconfig: "auto" }), new ResolverFactory(options)];

  function resolve(specifier: string, importer: string): Resolution | undefined {
    const own = ownModules[specifier];
    if (own !== undefined) return native(own);
    if (isBuiltin(specifier) || /^(?:data|https?):/.test(specifier)) return { kind: "native", url: specifier };
    for (const factory of factories) {
      const { path } = isAbsolute(importer)
        ? factory.resolveFileSync(importer, specifier)
        : factory.sync(root, specifier);
      if (path !== undefined) return placed(path);
    }
    return undefined;
  }

  const placed = (path: string): Resolution => (isEvaluated(root, path) ? { kind: "module", path } : native(path));

  return { resolve, clear: () => factories.forEach((factory) => factory.clearCache()) };
}

function native(path: string): Resolution {
  return { kind: "native", url: pathToFileURL(path).href };
}

/** Whether fw turns a module into JavaScript: the application's own, its tests among them, and TypeScript of a package that is linked. Paths are absolute. */
export function isEvaluated(root: string, path: string): boolean {
  const kind = extname(path);
  return evaluated.has(kind) && !isInstalled(path) && (isInside(root, path) || typescript.has(kind));
}

function isInside(root: string, path: string): boolean {
  return path.startsWith(root) && (root.endsWith(sep) || /[\\/]/.test(path.charAt(root.length)));
}

function isInstalled(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path);
}
