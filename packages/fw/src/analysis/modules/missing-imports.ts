import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";
import { nearest } from "../../lib/suggest.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { appName } from "./app-name.ts";
import type { DeclaredModule } from "../declared.ts";
import { fixOf } from "../fixes/fix.ts";
import { isFile } from "../source/files.ts";
import { importedBy, importersOf } from "../source/imports.ts";
import type { ModuleRequest, SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { isRelative } from "../source/resolve.ts";

/** Reports imports that resolve to nothing, in modules with declarations and in the modules they import. */
export function missingImports(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  const isThere = finder(project);
  const missing = modules.flatMap(({ module }) =>
    importedBy(project, module)
      .others.filter(({ specifier }) => !isThere(module, specifier))
      .map((request) => ({ module, request })),
  );
  if (missing.length === 0) return [];
  const declaring = new Set(modules.filter(({ declared }) => declared.length > 0).map(({ module }) => module.path));
  return missing
    .filter(({ module }) => [...importersOf(project, [module.path])].some((path) => declaring.has(path)))
    .flatMap(({ module, request }) => missingImport(project, module, request));
}

/** Returns a predicate for imports that resolve. Caches lookups, because many modules import the same package. */
function finder(project: Project): (module: SourceModule, specifier: string) => boolean {
  const packages = new Map<string, boolean>();
  const own = appName(project.root);
  const isInstalled = (from: string, name: string): boolean => {
    const isAtRoot = packages.get(name);
    if (isAtRoot !== undefined) return isAtRoot || hasPackage(join(project.root, dirname(from)), name);
    const isFound = hasPackage(project.root, name);
    packages.set(name, isFound);
    return isFound || hasPackage(join(project.root, dirname(from)), name);
  };
  return ({ path }, specifier) => {
    if (isExternal(specifier)) return true;
    if (isRelative(specifier)) return isScript(join(project.root, dirname(path), specifier));
    const name = packageName(specifier);
    return name === own || isInstalled(path, name);
  };
}

/**
 * True for specifiers that fw does not check: built-in modules, URLs, absolute paths, `#` imports, and any with a `?`.
 */
function isExternal(specifier: string): boolean {
  return isBuiltin(specifier) || /^(?:#|\/|data:|https?:|file:)|[?]/.test(specifier);
}

const scripts = ["", ".js", ".mjs", ".cjs", ".jsx", ".mts", ".json", "/index.js", "/index.mjs", "/package.json"];

/**
 * True if a path leads to a file or a package directory that can be imported, although fw does not read it as a module.
 */
function isScript(path: string): boolean {
  return scripts.some((end) => isFile(path + end));
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** True if Node or TypeScript finds the package from a directory. Assumes so under Yarn Plug'n'Play. */
function hasPackage(from: string, name: string): boolean {
  const types = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
  for (let dir = from; ; dir = dirname(dir)) {
    if ([name, types].some((each) => existsSync(join(dir, "node_modules", each)))) return true;
    if (existsSync(join(dir, ".pnp.cjs"))) return true;
    if (dirname(dir) === dir) return false;
  }
}

function missingImport(
  project: Project,
  module: SourceModule,
  { specifier, node, typeOnly }: ModuleRequest,
): Diagnostic[] {
  // Packages can declare types in ways that only TypeScript can resolve.
  if (typeOnly && !isRelative(specifier)) return [];
  const at = spanOf(module, node);
  if (!isRelative(specifier)) {
    const name = packageName(specifier);
    return [{ code: "import", at, message: `"${specifier}" is not installed`, hint: `npm install ${name}` }];
  }
  const suggestion = guessFile(project, module.path, specifier);
  const message = `cannot find the file "${specifier}"`;
  const fix = suggestion === undefined ? undefined : fixOf(project, { kind: "text", at, text: suggestion });
  return [
    {
      code: "import",
      at,
      message,
      ...(suggestion !== undefined && { hint: `write "${suggestion}"` }),
      ...(fix && { fix }),
    },
  ];
}

/** Guesses the intended file: the only one with the same name, or else one with a similar path. */
function guessFile(project: Project, from: string, specifier: string): string | undefined {
  const dir = posix.dirname(from);
  const choices = project.files().map((path) => {
    const way = posix.relative(dir, path);
    return way.startsWith("../") ? way : `./${way}`;
  });
  const sameName = choices.filter((each) => posix.basename(each) === posix.basename(specifier));
  return sameName.length === 1 ? sameName[0] : nearest(specifier, choices);
}
