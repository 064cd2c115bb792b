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

/** Imports that lead nowhere, in the modules that declare something and in those that these import. */
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
    .flatMap(({ module, request }) => reported(project, module, request));
}

/** Looks a package up once, however many modules import it. */
function finder(project: Project): (module: SourceModule, specifier: string) => boolean {
  const packages = new Map<string, boolean>();
  const own = appName(project.root);
  const isInstalled = (from: string, name: string): boolean => {
    const known = packages.get(name);
    if (known !== undefined) return known || hasPackage(join(project.root, dirname(from)), name);
    const found = hasPackage(project.root, name);
    packages.set(name, found);
    return found || hasPackage(join(project.root, dirname(from)), name);
  };
  return ({ path }, specifier) => {
    if (isOutside(specifier)) return true;
    if (isRelative(specifier)) return isScript(join(project.root, dirname(path), specifier));
    const name = packageName(specifier);
    return name === own || isInstalled(path, name);
  };
}

/** What is neither a file of the application nor an installed package. */
function isOutside(specifier: string): boolean {
  return isBuiltin(specifier) || /^(?:#|\/|data:|https?:|file:)|[?]/.test(specifier);
}

const scripts = ["", ".js", ".mjs", ".cjs", ".jsx", ".mts", ".json", "/index.js", "/index.mjs", "/package.json"];

/** True for what is no TypeScript of the application and can be imported nevertheless. */
function isScript(path: string): boolean {
  return scripts.some((end) => isFile(path + end));
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** True when Node or TypeScript finds the package from here. */
function hasPackage(from: string, name: string): boolean {
  const types = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
  for (let dir = from; ; dir = dirname(dir)) {
    if ([name, types].some((each) => existsSync(join(dir, "node_modules", each)))) return true;
    if (existsSync(join(dir, ".pnp.cjs"))) return true;
    if (dirname(dir) === dir) return false;
  }
}

function reported(project: Project, module: SourceModule, { specifier, node, typeOnly }: ModuleRequest): Diagnostic[] {
  // Types of packages can be declared in ways that only TypeScript knows.
  if (typeOnly && !isRelative(specifier)) return [];
  const at = spanOf(module, node);
  if (!isRelative(specifier)) {
    const name = packageName(specifier);
    return [{ code: "import", at, message: `"${specifier}" is not installed`, hint: `npm install ${name}` }];
  }
  const meant = likely(project, module.path, specifier);
  const message = `"${specifier}" leads to no file`;
  const fix = meant === undefined ? undefined : fixOf(project, { kind: "text", at, text: meant });
  return [
    { code: "import", at, message, ...(meant !== undefined && { hint: `write "${meant}"` }), ...(fix && { fix }) },
  ];
}

/** The file that was meant: one of the same name elsewhere, or one with nearly the same path. */
function likely(project: Project, from: string, specifier: string): string | undefined {
  const dir = posix.dirname(from);
  const choices = project.files().map((path) => {
    const way = posix.relative(dir, path);
    return way.startsWith("../") ? way : `./${way}`;
  });
  const moved = choices.filter((each) => posix.basename(each) === posix.basename(specifier));
  return moved.length === 1 ? moved[0] : nearest(specifier, choices);
}
