import { isAbsolute, join, posix } from "node:path";
import { ResolverFactory } from "rolldown/experimental";
import { relativePath } from "../../lib/relative-path.ts";

/** Resolves imports to files. Results are cached until `refresh`. */
export interface Resolver {
  /** Returns the path of the TypeScript file, relative to the root; undefined for packages and missing files. */
  resolve(from: string, specifier: string): string | undefined;
  /** Resolves all imports again and returns those with a different result. */
  refresh(): readonly Import[];
}

export interface Import {
  /** Directory of the importing files, as returned by `posix.dirname`. */
  readonly dir: string;
  readonly specifier: string;
}

export function openResolver(root: string, isFile: (path: string) => boolean): Resolver {
  let resolvedImports: ResolvedImport[] = [];
  let byDir = new Map<string, Map<string, ResolvedImport>>();
  /** By importing file; files of one directory share a map. */
  let byFile = new Map<string, Map<string, ResolvedImport>>();
  const packageResolver = new NonRelativeResolver(root);
  const importsOf = (from: string): Map<string, ResolvedImport> => {
    const dir = posix.dirname(from);
    const imports = byDir.get(dir) ?? new Map<string, ResolvedImport>();
    byDir.set(dir, imports);
    byFile.set(from, imports);
    return imports;
  };
  const resolve = (from: string, specifier: string): string | undefined => {
    const imports = byFile.get(from) ?? importsOf(from);
    const cached = imports.get(specifier);
    if (cached) return cached.path;
    const dir = posix.dirname(from);
    const path = isRelative(specifier)
      ? relativeFile(isFile, root, dir, specifier)
      : packageResolver.resolve(from, specifier);
    const entry = { dir, specifier, path };
    imports.set(specifier, entry);
    resolvedImports.push(entry);
    return path;
  };
  const refresh = (): readonly Import[] => {
    const previous = resolvedImports;
    [resolvedImports, byDir, byFile] = [[], new Map(), new Map()];
    packageResolver.forget();
    return previous.filter(({ dir, specifier, path }) => resolve(`${dir}/_.ts`, specifier) !== path);
  };
  return { resolve, refresh };
}

interface ResolvedImport extends Import {
  readonly path: string | undefined;
}

/** True for `fw` and its subpaths such as `fw/testing`. */
export function isFramework(specifier: string): boolean {
  return specifier === "fw" || specifier.startsWith("fw/");
}

/** True for `./a.ts` and `../a.ts`. */
export function isRelative(specifier: string): boolean {
  return /^\.\.?(?:\/|$)/.test(specifier);
}

/** Finds the file of a relative import: `a.ts` for `./a`, `./a.ts` and `./a.js`, or `a/index.ts` for `./a`. */
function relativeFile(
  isFile: (path: string) => boolean,
  root: string,
  dir: string,
  specifier: string,
): string | undefined {
  const path = posix.join(dir, specifier);
  return candidates(path).find((candidate) => isFile(join(root, candidate)));
}

const typeScriptFile = /\.(?:d\.)?[cm]?tsx?$/;
const compiledFile = /\.([cm]?)js(x?)$/;

function candidates(path: string): readonly string[] {
  const extended = ["ts", "tsx", "d.ts"].map((extension) => `${path}.${extension}`);
  const indexes = ["ts", "tsx", "d.ts"].map((extension) => posix.join(path, `index.${extension}`));
  const script = compiledFile.exec(path);
  const base = script ? path.slice(0, script.index) : path;
  const sources = script ? [`${base}.${script[1]}ts`, `${base}.${script[1]}tsx`, `${base}.d.${script[1]}ts`] : [];
  return [...(typeScriptFile.test(path) ? [path] : []), ...sources, ...extended, ...indexes];
}

/** Resolves non-relative imports: `paths` in tsconfig.json, `imports` in package.json, workspace packages. */
class NonRelativeResolver {
  readonly #root: string;
  #resolvers: readonly ResolverFactory[] | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  resolve(from: string, specifier: string): string | undefined {
    if (isFramework(specifier) || specifier.startsWith("node:") || specifier === "") return undefined;
    this.#resolvers ??= resolvers();
    for (const resolver of this.#resolvers) {
      const path = attempt(resolver, join(this.#root, from), specifier);
      if (path !== undefined) return this.#ownSource(path);
    }
    return undefined;
  }

  forget(): void {
    this.#resolvers = undefined;
  }

  /** Makes a TypeScript file's path relative to the root; undefined for other files and installed packages. */
  #ownSource(path: string): string | undefined {
    if (!typeScriptFile.test(path) || /[\\/]node_modules[\\/]/.test(path)) return undefined;
    const own = relativePath(this.#root, path);
    return isAbsolute(own) ? undefined : own;
  }
}

const options = {
  conditionNames: ["node", "import"],
  extensions: [".ts", ".tsx", ".d.ts", ".js"],
  extensionAlias: {
    ".js": [".ts", ".tsx", ".d.ts", ".js"],
    ".mjs": [".mts", ".d.mts", ".mjs"],
    ".jsx": [".tsx", ".jsx"],
  },
};

/** Creates the resolvers to try in order: with the nearest tsconfig.json, then without one, in case it is broken. */
function resolvers(): readonly ResolverFactory[] {
  return [new ResolverFactory({ ...options, tsconfig: "auto" }), new ResolverFactory(options)];
}

function attempt(resolver: ResolverFactory, from: string, specifier: string): string | undefined {
  try {
    return resolver.resolveFileSync(from, specifier).path ?? undefined;
  } catch {
    return undefined;
  }
}
