import { join, posix } from "node:path";
import { allSaved, type Unsaved } from "../../lib/unsaved.ts";
import { type FileList, isFile, listFiles, readSource } from "./files.ts";
import type { Place, SourceModule } from "./module.ts";
import { parseModule, unreadableModule } from "./parse.ts";
import { type Import, isRelative, openResolver } from "./resolve.ts";

/** The files of one application, parsed when they are asked for. Nothing here throws. */
export interface Project {
  /** Absolute path of the application's root. */
  readonly root: string;
  /** Paths of the application's own source files, sorted. */
  files(): readonly string[];
  /** Undefined when there is no such file. A file that cannot be read is an empty module with a syntax error. */
  module(path: string): SourceModule | undefined;
  /** Every module of `files()`. */
  modules(): readonly SourceModule[];
  /** Paths of the JavaScript beside the application's source, sorted. */
  scripts(): readonly string[];
  /** The modules of the application's type declarations, `.d.ts`. */
  ambient(): readonly SourceModule[];
  /** Path of the module that an import means; undefined for `fw`, for a package and for a file that is not there. */
  resolve(from: string, specifier: string): string | undefined;
  /** Says that a reading takes what a literal holds for a constant. */
  relyOn(literal: Place): void;
  /** Runs a part of a reading and returns the literals that it relied on. */
  relying<T>(read: () => T): Relying<T>;
}

export interface Relying<T> {
  readonly result: T;
  readonly literals: readonly Place[];
}

/** A project whose files change on disk. */
export interface OpenProject extends Project {
  /**
   * Reads what changed, and answers which files mean something else now: those whose text is another, and those whose
   * imports lead elsewhere. `all` when any may.
   */
  update(changes: readonly FileChange[]): ReadonlySet<string> | "all";
  /** What was read so far: the text of each module without a syntax error, by path. */
  texts(): ReadonlyMap<string, string>;
  /** Runs a reading and answers what it depends on. */
  observe<T>(read: () => T): Observed<T>;
}

export interface Observed<T> {
  readonly result: T;
  /** The files that it looked at, by path; a missing file that it looked for counts. */
  readonly files: ReadonlySet<string>;
  /** The literals that it relied on. */
  readonly literals: readonly Place[];
}

export interface FileChange {
  /** Relative to the application's root, with forward slashes. */
  readonly path: string;
  readonly kind: "changed" | "created" | "deleted";
}

export function openProject(root: string, unsaved: Unsaved = allSaved): OpenProject {
  return new FileProject(root, unsaved);
}

class FileProject implements OpenProject {
  readonly root: string;
  readonly #unsaved: Unsaved;
  readonly #resolver: ReturnType<typeof openResolver>;
  readonly #modules = new Map<string, SourceModule | undefined>();
  #files: FileList | undefined;
  #observed: Set<string> | undefined;
  #relied: Place[] | undefined;

  constructor(root: string, unsaved: Unsaved) {
    this.root = root;
    this.#unsaved = unsaved;
    this.#resolver = openResolver(root, (path) => unsaved.has(path) || isFile(path));
  }

  files(): readonly string[] {
    return this.#list().sources;
  }

  #list(): FileList {
    this.#files ??= listFiles(this.root, this.#unsaved);
    return this.#files;
  }

  module(path: string): SourceModule | undefined {
    this.#observed?.add(path);
    if (!this.#modules.has(path)) this.#modules.set(path, this.#read(path));
    return this.#modules.get(path);
  }

  modules(): readonly SourceModule[] {
    return this.files().flatMap((path) => this.module(path) ?? []);
  }

  scripts(): readonly string[] {
    return this.#list().scripts;
  }

  ambient(): readonly SourceModule[] {
    return this.#list().ambient.flatMap((path) => this.module(path) ?? []);
  }

  resolve(from: string, specifier: string): string | undefined {
    return this.#resolver.resolve(from, specifier);
  }

  update(changes: readonly FileChange[]): ReadonlySet<string> | "all" {
    const moved = changes.some(({ kind }) => kind !== "changed");
    if (moved) this.#files = undefined;
    const imports = moved ? this.#resolver.refresh() : [];
    if (changes.some(({ path }) => isSetting(path))) return this.#forget();
    const changed = new Set<string>();
    const untyped = changes.filter(({ path }) => !isTypeScript(path));
    for (const module of [...this.#importing(imports), ...this.#importersOf(untyped)]) {
      // What was read of it is kept for as long as it is the same one.
      this.#modules.set(module.path, { ...module });
      changed.add(module.path);
    }
    for (const { path } of changes) {
      if (!isCode(path) || !(this.#modules.has(path) || isTypeScript(path))) continue;
      const before = this.#modules.get(path);
      const after = this.#again(path, before);
      if (reachesOthers(before) || reachesOthers(after)) return this.#forget();
      if (before !== after) changed.add(path);
    }
    return changed;
  }

  #forget(): "all" {
    this.#files = undefined;
    this.#resolver.refresh();
    this.#modules.clear();
    return "all";
  }

  /** The module as it is now; the same one when its text is. */
  #again(path: string, before: SourceModule | undefined): SourceModule | undefined {
    const after = this.#read(path, before);
    this.#modules.set(path, after);
    return after;
  }

  /** What a module imports when it runs may be worked out from constants. */
  #importing(imports: readonly Import[]): readonly SourceModule[] {
    if (imports.length === 0) return [];
    return [...this.#modules.values()].flatMap((module) => {
      if (!module) return [];
      const dir = posix.dirname(module.path);
      const loads = /\bimport\s*\(/.test(module.text);
      return imports.some(
        (each) => each.dir === dir && (loads || module.requests.some(({ specifier }) => specifier === each.specifier)),
      )
        ? [module]
        : [];
    });
  }

  /** The modules whose types TypeScript may infer from these files, which are none of them: JSON, and JavaScript, which imports more of it. */
  #importersOf(files: readonly FileChange[]): readonly SourceModule[] {
    if (files.length === 0) return [];
    const names = new Set(files.map(({ path }) => posix.basename(path)));
    const scripts = files.some(({ path }) => isCode(path));
    const reads = (from: string, specifier: string): boolean => {
      if (specifier.endsWith(".json")) return names.has(posix.basename(specifier));
      return scripts && (isRelative(specifier) || isCode(specifier)) && this.resolve(from, specifier) === undefined;
    };
    return this.modules().filter(({ path, requests }) => requests.some(({ specifier }) => reads(path, specifier)));
  }

  texts(): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const [path, module] of this.#modules) if (module?.syntaxErrors.length === 0) texts.set(path, module.text);
    return texts;
  }

  relyOn(literal: Place): void {
    this.#relied?.push(literal);
  }

  relying<T>(read: () => T): Relying<T> {
    const outer = this.#relied;
    const literals: Place[] = [];
    this.#relied = literals;
    try {
      return { result: read(), literals };
    } finally {
      this.#relied = outer;
      outer?.push(...literals);
    }
  }

  observe<T>(read: () => T): Observed<T> {
    const [outer, outerRelied] = [this.#observed, this.#relied];
    const files = new Set<string>();
    const literals: Place[] = [];
    this.#observed = files;
    this.#relied = literals;
    try {
      return { result: read(), files, literals };
    } finally {
      this.#observed = outer;
      this.#relied = outerRelied;
      for (const path of files) outer?.add(path);
      outerRelied?.push(...literals);
    }
  }

  #read(path: string, before?: SourceModule): SourceModule | undefined {
    const source = readSource(join(this.root, path), this.#unsaved);
    if (!source) return undefined;
    if ("why" in source) return unreadableModule(path, source.why);
    return before && before.text === source.text && before.syntaxErrors.length === 0
      ? before
      : parseModule(path, source.text);
  }
}

/** What decides how imports resolve. */
function isSetting(path: string): boolean {
  return /(?:^|\/)(?:package|tsconfig[^/]*)\.json$/.test(path);
}

function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path);
}

/** True for a module that may add to types of others. */
function reachesOthers(module: SourceModule | undefined): boolean {
  if (module === undefined) return false;
  return /\.d\.[cm]?ts$/.test(module.path) || /\bdeclare\s+(?:global|module)\b/.test(module.text);
}
