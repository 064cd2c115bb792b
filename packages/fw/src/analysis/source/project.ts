import { join, posix } from "node:path";
import { allSaved, type Unsaved } from "../../lib/unsaved.ts";
import { type FileList, isFile, listFiles, readSource } from "./files.ts";
import type { SourceNode, SourceModule } from "./module.ts";
import { parseModule, unreadableModule } from "./parse.ts";
import { type Import, isRelative, openResolver } from "./resolve.ts";

/** The files of one application, parsed on demand. Never throws. */
export interface Project {
  readonly root: string;
  /** Returns the paths of the application's source files, sorted. */
  files(): readonly string[];
  /**
   * Returns the module of a file; undefined if the file is missing. An unreadable file is an empty module with a syntax
   * error.
   */
  module(path: string): SourceModule | undefined;
  modules(): readonly SourceModule[];
  /** Returns the paths of the application's scripts that mention fw, sorted. */
  scripts(): readonly string[];
  ambient(): readonly SourceModule[];
  /** Resolves an import to a module's path; undefined for `fw`, packages and missing files. */
  resolve(from: string, specifier: string): string | undefined;
  /** Records that the current reading relies on the members of a literal as constants. */
  relyOn(literal: SourceNode): void;
  /** Runs part of a reading and returns the literals it relied on. */
  trackLiterals<T>(read: () => T): LiteralTracking<T>;
}

export interface LiteralTracking<T> {
  readonly result: T;
  readonly literals: readonly SourceNode[];
}

export interface OpenProject extends Project {
  /**
   * Rereads changed files. Returns the files whose meaning may have changed: their text changed, their imports resolve
   * differently, or they may import a changed JSON or JavaScript file. Returns "all" if any file may be affected.
   */
  update(changes: readonly FileChange[]): ReadonlySet<string> | "all";
  /** Returns the text of each module read so far without a syntax error, by path. */
  texts(): ReadonlyMap<string, string>;
  /** Runs a reading and records the files and literals it depends on. */
  observe<T>(read: () => T): Observation<T>;
}

export interface Observation<T> {
  readonly result: T;
  /** The paths of the files that it looked for, including missing ones. */
  readonly files: ReadonlySet<string>;
  /** The literals whose members it reads as constants. */
  readonly literals: readonly SourceNode[];
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
  /** Whether a script mentions the module `fw`, by path. */
  readonly #mentions = new Map<string, boolean>();
  #files: FileList | undefined;
  #observedFiles: Set<string> | undefined;
  #literals: SourceNode[] | undefined;

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
    this.#observedFiles?.add(path);
    if (!this.#modules.has(path)) this.#modules.set(path, this.#read(path));
    return this.#modules.get(path);
  }

  modules(): readonly SourceModule[] {
    return this.files().flatMap((path) => this.module(path) ?? []);
  }

  scripts(): readonly string[] {
    return this.#list().scripts.filter((path) => this.#mentionsFramework(path));
  }

  /** True for a script that mentions fw. Does not parse it, because most scripts are browser code or generated. */
  #mentionsFramework(path: string): boolean {
    const before = this.#mentions.get(path);
    if (before !== undefined) return before;
    const source = readSource(join(this.root, path), this.#unsaved);
    const mentions = source !== undefined && "text" in source && /["']fw["']/.test(source.text);
    this.#mentions.set(path, mentions);
    return mentions;
  }

  ambient(): readonly SourceModule[] {
    return this.#list().ambient.flatMap((path) => this.module(path) ?? []);
  }

  resolve(from: string, specifier: string): string | undefined {
    return this.#resolver.resolve(from, specifier);
  }

  update(changes: readonly FileChange[]): ReadonlySet<string> | "all" {
    for (const { path } of changes) this.#mentions.delete(path);
    const filesMoved = changes.some(({ kind }) => kind !== "changed");
    if (filesMoved) this.#files = undefined;
    const imports = filesMoved ? this.#resolver.refresh() : [];
    if (changes.some(({ path }) => isSetting(path))) return this.#forget();
    const changed = new Set<string>();
    const untyped = changes.filter(({ path }) => !isTypeScript(path));
    for (const module of [...this.#importing(imports), ...this.#importersOf(untyped)]) {
      // A new object invalidates readings that depend on this module.
      this.#modules.set(module.path, { ...module });
      changed.add(module.path);
    }
    for (const { path } of changes) {
      if (!isCode(path) || !(this.#modules.has(path) || isTypeScript(path))) continue;
      const before = this.#modules.get(path);
      const after = this.#reread(path, before);
      if (augmentsOthers(before) || augmentsOthers(after)) return this.#forget();
      if (before !== after) changed.add(path);
    }
    return changed;
  }

  #forget(): "all" {
    this.#files = undefined;
    this.#resolver.refresh();
    this.#modules.clear();
    this.#mentions.clear();
    return "all";
  }

  /** Rereads a module; returns the same object if its text is the same and has no syntax errors. */
  #reread(path: string, before: SourceModule | undefined): SourceModule | undefined {
    const after = this.#read(path, before);
    this.#modules.set(path, after);
    return after;
  }

  /**
   * Finds the modules that have one of `imports`. A dynamic import in the same directory also counts, because its
   * specifier may be computed.
   */
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

  /**
   * Finds modules whose types TypeScript may infer from these JSON and JavaScript files. A JavaScript file may import
   * others, so a change to one affects every module that imports JavaScript.
   */
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

  relyOn(literal: SourceNode): void {
    this.#literals?.push(literal);
  }

  trackLiterals<T>(read: () => T): LiteralTracking<T> {
    const outer = this.#literals;
    const literals: SourceNode[] = [];
    this.#literals = literals;
    try {
      return { result: read(), literals };
    } finally {
      this.#literals = outer;
      outer?.push(...literals);
    }
  }

  observe<T>(read: () => T): Observation<T> {
    const [outer, outerLiterals] = [this.#observedFiles, this.#literals];
    const files = new Set<string>();
    const literals: SourceNode[] = [];
    this.#observedFiles = files;
    this.#literals = literals;
    try {
      return { result: read(), files, literals };
    } finally {
      this.#observedFiles = outer;
      this.#literals = outerLiterals;
      for (const path of files) outer?.add(path);
      outerLiterals?.push(...literals);
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

/** True for files that affect how imports resolve. */
function isSetting(path: string): boolean {
  return /(?:^|\/)(?:package|tsconfig[^/]*)\.json$/.test(path);
}

function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path);
}

/** True for a module that may extend types of other modules. */
function augmentsOthers(module: SourceModule | undefined): boolean {
  if (module === undefined) return false;
  return /\.d\.[cm]?ts$/.test(module.path) || /\bdeclare\s+(?:global|module)\b/.test(module.text);
}
