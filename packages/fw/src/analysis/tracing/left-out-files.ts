import type { Finding } from "../rule.ts";
import { join, posix } from "node:path";
import { declarationsIn } from "../resolution/declarations.ts";
import { isFile } from "../source/files.ts";
import { firstRequests, importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { isRelative } from "../source/resolve.ts";
import { passesOn } from "./framework-names.ts";

/**
 * Finds files that declare something and are no source of the application, although it imports them or they stand among its
 * own; again in modules that depend on what changed, and in all when files come or go.
 */
export class LeftOutFiles {
  readonly #project: OpenProject;
  #known: Known | undefined;

  constructor(project: OpenProject) {
    this.#project = project;
  }

  read(modules: readonly SourceModule[]): readonly Finding[] {
    const known = this.#current();
    const imported = modules.flatMap((module) =>
      known.imported.of(module, () => importsLeftOut(this.#project, module, known)),
    );
    const met = new Set(imported.map(({ path }) => path));
    return [
      ...imported,
      ...this.#project.scripts().flatMap((path) => (met.has(path) ? [] : this.#script(known, path))),
    ];
  }

  /** What an import means depends on which files there are. */
  #current(): Known {
    const files = this.#project.files();
    if (this.#known?.files !== files) {
      const [project, own] = [this.#project, new Set(files)];
      const [imported, behind] = [
        new ModuleCache<readonly LeftOut[]>(project),
        new ModuleCache<string | undefined>(project),
      ];
      this.#known = { files, own, imported, behind, scripts: new ModuleCache(project) };
    }
    return this.#known;
  }

  #script({ scripts }: Known, path: string): readonly Finding[] {
    const module = this.#project.module(path);
    return module ? scripts.of(module, () => scriptLeftOut(this.#project, module)) : [];
  }
}

/** What was found for as long as there are the same files. */
interface Known {
  readonly files: readonly string[];
  readonly own: ReadonlySet<string>;
  readonly imported: ModuleCache<readonly LeftOut[]>;
  /** By the module that is imported. */
  readonly behind: ModuleCache<string | undefined>;
  readonly scripts: ModuleCache<readonly Finding[]>;
}

interface LeftOut extends Finding {
  readonly path: string;
}

function importsLeftOut(project: Project, module: SourceModule, { own, behind }: Known): readonly LeftOut[] {
  return firstRequests(module).flatMap(({ specifier, node }): readonly LeftOut[] => {
    const path = project.resolve(module.path, specifier) ?? scriptNamed(project, module, specifier);
    if (path === undefined || own.has(path)) return [];
    const start = project.module(path);
    const declaring = start && behind.of(start, () => declaringBehind(project, path, own));
    if (declaring === undefined) return [];
    const at = spanOf(module, node);
    return [
      {
        path: declaring,
        at,
        message: `${declaring} declares something or passes functions of fw on, and it is no source of this application: ${why(declaring)}`,
        hint: hint(declaring),
      },
    ];
  });
}

/** The JavaScript file that a relative import means. */
function scriptNamed(project: Project, { path }: SourceModule, specifier: string): string | undefined {
  if (!isRelative(specifier)) return undefined;
  const file = posix.join(posix.dirname(path), specifier);
  const candidates = ["", ".js", ".mjs", ".cjs", ".jsx", "/index.js", "/index.mjs"].map((end) => file + end);
  return candidates.find((each) => /\.[cm]?jsx?$/.test(each) && isFile(join(project.root, each)));
}

/** The first file that declares something among one that is left out and what it imports; none where no such is. */
function declaringBehind(project: Project, start: string, own: ReadonlySet<string>): string | undefined {
  const seen = new Set([start]);
  for (const path of seen) {
    const module = project.module(path);
    if (!module) continue;
    if (declares(project, module) || passesOn(project, module)) return path;
    for (const next of importedBy(project, module).all) if (!own.has(next)) seen.add(next);
  }
  return undefined;
}

function scriptLeftOut(project: Project, module: SourceModule): readonly Finding[] {
  const { path, text, program } = module;
  if (!/["'](?:fw)["']/.test(text) || !declares(project, module)) return [];
  const at = spanOf(module, program.body[0] ?? program);
  return [{ at, message: `this file declares something, and fw does not read it: ${why(path)}`, hint: hint(path) }];
}

function declares(project: Project, module: SourceModule): boolean {
  return declarationsIn(project, module).length > 0;
}

function why(path: string): string {
  if (/\.[cm]?jsx?$/.test(path)) return "it is JavaScript";
  if (path.endsWith(".cts")) return "it is a CommonJS module";
  if (/\.(?:test|spec)\.\w+$/.test(path)) return "it has the name of a test";
  if (path.startsWith("../")) return "it stands outside of the application's directory";
  if (/(?:^|\/)(?:dist|node_modules|\.[^/]+)\//.test(path)) return "it stands in a directory for what tools make";
  return ofAnother;
}

const ofAnother = "a directory with its own package.json is another one";

function hint(path: string): string {
  if (/\.[cm]?jsx?$/.test(path)) return "write it in TypeScript: give it the name of a .ts file";
  if (path.endsWith(".cts")) return "give it the name of a .ts file";
  if (/\.(?:test|spec)\.\w+$/.test(path)) return "move what is declared into a file that is no test";
  return why(path) === ofAnother
    ? "move what is declared into a directory of this application, or delete that package.json"
    : "move what is declared into a directory of this application";
}
