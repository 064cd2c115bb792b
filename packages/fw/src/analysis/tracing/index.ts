import { cachedByObject } from "../../lib/cached-by-object.ts";
import type { Finding } from "../rule.ts";
import type { DeclaredModule } from "../declared.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { spanOf } from "../source/position.ts";
import { constantWrites, reportConstantWrites, type ConstantRead, type ConstantWrite } from "./constant-writes.ts";
import { untracedNames, exportsFrameworkFunctions } from "./framework-names.ts";
import { join, posix } from "node:path";
import { declarationsIn } from "../resolution/declarations.ts";
import { isFile } from "../source/files.ts";
import { firstRequests, importedBy } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { isRelative } from "../source/resolve.ts";

/**
 * Reports code that affects the shape of an application but cannot be followed. Rereads only modules whose dependencies
 * changed.
 */
export class TraceReader {
  readonly #project: OpenProject;
  readonly #names: ModuleCache<readonly Finding[]>;
  readonly #writes: ModuleCache<readonly ConstantWrite[]>;
  readonly #unreadFiles: UnreadFiles;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#names = new ModuleCache(project);
    this.#writes = new ModuleCache(project);
    this.#unreadFiles = new UnreadFiles(project);
  }

  /** Returns the findings. `queryReads` are the literals that queries read as constants. */
  read(declared: readonly DeclaredModule[], queryReads: readonly ConstantRead[]): readonly Finding[] {
    const parsed = declared.filter(({ module }) => module.syntaxErrors.length === 0);
    const modules = parsed.map(({ module }) => module);
    const reads = [...declared.flatMap(constantReads), ...queryReads];
    const writes =
      reads.length === 0
        ? []
        : modules.flatMap((module) => this.#writes.of(module, () => constantWrites(this.#project, module)));
    return [
      ...parsed.flatMap(({ module, names }) =>
        this.#names.of(names, () => untracedNames(this.#project, module, names)),
      ),
      ...reportConstantWrites(writes, reads),
      ...this.#unreadFiles.read(modules),
    ];
  }
}

const constantReads = cachedByObject(({ declared }: DeclaredModule): readonly ConstantRead[] =>
  declared.flatMap(({ call, literals = [] }) =>
    literals.map((literal) => ({ literal, at: spanOf(call.module, call.call.callee) })),
  ),
);

/**
 * Finds files with declarations that fw does not read as sources, although the application imports or contains them.
 * Rereads modules whose dependencies changed, and all modules after a file was created or deleted.
 */
class UnreadFiles {
  readonly #project: OpenProject;
  #cache: FileListCache | undefined;

  constructor(project: OpenProject) {
    this.#project = project;
  }

  read(modules: readonly SourceModule[]): readonly Finding[] {
    const cache = this.#current();
    const imported = modules.flatMap((module) =>
      cache.imported.of(module, () => unreadImports(this.#project, module, cache)),
    );
    const reportedPaths = new Set(imported.map(({ path }) => path));
    return [
      ...imported,
      ...this.#project.scripts().flatMap((path) => (reportedPaths.has(path) ? [] : this.#scriptFindings(cache, path))),
    ];
  }

  /**
   * Returns the cache for the current file list. A new list gets a new cache, because imports may resolve differently.
   */
  #current(): FileListCache {
    const files = this.#project.files();
    if (this.#cache?.files !== files) {
      const [project, own] = [this.#project, new Set(files)];
      const [imported, behind] = [
        new ModuleCache<readonly UnreadImport[]>(project),
        new ModuleCache<string | undefined>(project),
      ];
      this.#cache = { files, own, imported, behind, scripts: new ModuleCache(project) };
    }
    return this.#cache;
  }

  #scriptFindings({ scripts }: FileListCache, scriptPath: string): readonly Finding[] {
    const module = this.#project.module(scriptPath);
    return module ? scripts.of(module, () => unreadScript(this.#project, module)) : [];
  }
}

/** Results that are valid for one list of files. */
interface FileListCache {
  readonly files: readonly string[];
  readonly own: ReadonlySet<string>;
  readonly imported: ModuleCache<readonly UnreadImport[]>;
  /** The file that `declaringBehind` finds, by imported module. */
  readonly behind: ModuleCache<string | undefined>;
  readonly scripts: ModuleCache<readonly Finding[]>;
}

interface UnreadImport extends Finding {
  readonly path: string;
}

function unreadImports(
  project: Project,
  module: SourceModule,
  { own, behind }: FileListCache,
): readonly UnreadImport[] {
  return firstRequests(module).flatMap(({ specifier, node }): readonly UnreadImport[] => {
    const path = project.resolve(module.path, specifier) ?? importedScript(project, module, specifier);
    if (path === undefined || own.has(path)) return [];
    const start = project.module(path);
    const declaring = start && behind.of(start, () => declaringBehind(project, path, own));
    if (declaring === undefined) return [];
    const at = spanOf(module, node);
    return [
      {
        path: declaring,
        at,
        message: `${declaring} has declarations or exports functions of fw, but fw does not read it: ${why(declaring)}`,
        hint: hint(declaring),
        ...relatedTo(project, declaring),
      },
    ];
  });
}

/** Points to the first declaration in an unread file. */
function relatedTo(project: Project, path: string): Pick<Finding, "related"> {
  const module = project.module(path);
  const [first] = module ? declarationsIn(project, module) : [];
  return module && first
    ? {
        related: [{ at: spanOf(module, first.call), message: `"${first.variable ?? first.name}" is declared here` }],
      }
    : {};
}

/** Finds the JavaScript file for a relative import; undefined for other imports and missing files. */
function importedScript(project: Project, { path }: SourceModule, specifier: string): string | undefined {
  if (!isRelative(specifier)) return undefined;
  const file = posix.join(posix.dirname(path), specifier);
  const candidates = ["", ".js", ".mjs", ".cjs", ".jsx", "/index.js", "/index.mjs"].map((end) => file + end);
  return candidates.find((each) => /\.[cm]?jsx?$/.test(each) && isFile(join(project.root, each)));
}

/**
 * Searches an unread file and its unread imports for the first file that declares something or exports fw's functions.
 */
function declaringBehind(project: Project, start: string, own: ReadonlySet<string>): string | undefined {
  const visited = new Set([start]);
  for (const path of visited) {
    const module = project.module(path);
    if (!module) continue;
    if (declares(project, module) || exportsFrameworkFunctions(project, module)) return path;
    for (const next of importedBy(project, module).all) if (!own.has(next)) visited.add(next);
  }
  return undefined;
}

function unreadScript(project: Project, module: SourceModule): readonly Finding[] {
  const { path, program } = module;
  if (!declares(project, module)) return [];
  const at = spanOf(module, program.body[0] ?? program);
  return [{ at, message: `this file has declarations, but fw does not read it: ${why(path)}`, hint: hint(path) }];
}

function declares(project: Project, module: SourceModule): boolean {
  return declarationsIn(project, module).length > 0;
}

function why(path: string): string {
  if (/\.[cm]?jsx?$/.test(path)) return "it is JavaScript";
  if (path.endsWith(".cts")) return "it is a CommonJS module";
  if (/\.(?:test|spec)\.\w+$/.test(path)) return "it is a test file";
  if (path.startsWith("../")) return "it is outside the application's directory";
  if (/(?:^|\/)(?:dist|node_modules|\.[^/]+)\//.test(path)) return "it is in a directory for build output or packages";
  return otherPackage;
}

const otherPackage = "a directory with its own package.json is another package";

function hint(path: string): string {
  if (/\.[cm]?jsx?$/.test(path)) return "write it in TypeScript and rename it to .ts";
  if (path.endsWith(".cts")) return "rename it to .ts";
  if (/\.(?:test|spec)\.\w+$/.test(path)) return "move the declarations into a file that is not a test";
  return why(path) === otherPackage
    ? `${moveHint}, or delete that package.json`
    : `${moveHint}; a package shares types, functions, classes and constants`;
}

const moveHint = "move the declarations into a directory of this application, such as shared/";
