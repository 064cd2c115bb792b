import { createRequire } from "node:module";
import { isAbsolute, join, posix, relative, sep } from "node:path";
import type * as experimental from "rolldown/experimental";

/** Finds the files that imports mean. Answers are kept until `forget`. */
export interface Resolver {
  /** Path, relative to the root, of the TypeScript file meant; undefined for a package and for a file that is not there. */
  resolve(from: string, specifier: string): string | undefined;
  /** Looks everything up again, and answers which imports now mean another file. */
  refresh(): readonly Import[];
}

export interface Import {
  /** Directory of the importing files, as `posix.dirname` gives it. */
  readonly dir: string;
  readonly specifier: string;
}

export function openResolver(root: string, isFile: (path: string) => boolean): Resolver {
  let known: Known[] = [];
  let byDir = new Map<string, Map<string, Known>>();
  /** By the file that imports; files of one directory share theirs. */
  let byFile = new Map<string, Map<string, Known>>();
  const others = new Others(root);
  const importsOf = (from: string): Map<string, Known> => {
    const dir = posix.dirname(from);
    const found = byDir.get(dir) ?? new Map<string, Known>();
    byDir.set(dir, found);
    byFile.set(from, found);
    return found;
  };
  const resolve = (from: string, specifier: string): string | undefined => {
    const imports = byFile.get(from) ?? importsOf(from);
    const found = imports.get(specifier);
    if (found) return found.path;
    const dir = posix.dirname(from);
    const path = isRelative(specifier) ? relativeFile(isFile, root, dir, specifier) : others.resolve(from, specifier);
    const made = { dir, specifier, path };
    imports.set(specifier, made);
    known.push(made);
    return path;
  };
  const refresh = (): readonly Import[] => {
    const before = known;
    [known, byDir, byFile] = [[], new Map(), new Map()];
    others.forget();
    return before.filter(({ dir, specifier, path }) => resolve(`${dir}/_.ts`, specifier) !== path);
  };
  return { resolve, refresh };
}

interface Known extends Import {
  readonly path: string | undefined;
}

/** `fw` and what it exports beside it, such as `fw/testing`. */
export function isFramework(specifier: string): boolean {
  return specifier === "fw" || specifier.startsWith("fw/");
}

/** True for `./a.ts` and `../a.ts`. */
export function isRelative(specifier: string): boolean {
  return /^\.\.?(?:\/|$)/.test(specifier);
}

/** What a file may be written as in an import: `./a`, `./a.ts`, `./a.js` for `a.ts`, `./a` for `a/index.ts`. */
function relativeFile(
  isFile: (path: string) => boolean,
  root: string,
  dir: string,
  specifier: string,
): string | undefined {
  const path = posix.join(dir, specifier);
  return candidates(path).find((candidate) => isFile(join(root, candidate)));
}

const written = /\.(?:d\.)?[cm]?tsx?$/;
const compiled = /\.([cm]?)js(x?)$/;

function candidates(path: string): readonly string[] {
  const extended = ["ts", "tsx", "d.ts"].map((extension) => `${path}.${extension}`);
  const indexes = ["ts", "tsx", "d.ts"].map((extension) => posix.join(path, `index.${extension}`));
  const script = compiled.exec(path);
  const base = script ? path.slice(0, script.index) : path;
  const sources = script ? [`${base}.${script[1]}ts`, `${base}.${script[1]}tsx`, `${base}.d.${script[1]}ts`] : [];
  return [...(written.test(path) ? [path] : []), ...sources, ...extended, ...indexes];
}

/** Imports that are not relative: `paths` of tsconfig.json, `imports` of package.json, packages of a workspace. */
class Others {
  readonly #root: string;
  #resolvers: readonly experimental.ResolverFactory[] | undefined;

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

  /** Packages are known to the type checker only. */
  #ownSource(path: string): string | undefined {
    if (!written.test(path) || /[\\/]node_modules[\\/]/.test(path)) return undefined;
    const own = relative(this.#root, path);
    return isAbsolute(own) ? undefined : own.split(sep).join("/");
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

/** With the nearest tsconfig.json, and without any, for when that one is broken. Most applications import no packages, and load none of it. */
function resolvers(): readonly experimental.ResolverFactory[] {
  const { ResolverFactory }: typeof experimental = createRequire(import.meta.url)("rolldown/experimental");
  return [new ResolverFactory({ ...options, tsconfig: "auto" }), new ResolverFactory(options)];
}

function attempt(resolver: experimental.ResolverFactory, from: string, specifier: string): string | undefined {
  try {
    return resolver.resolveFileSync(from, specifier).path ?? undefined;
  } catch {
    return undefined;
  }
}
