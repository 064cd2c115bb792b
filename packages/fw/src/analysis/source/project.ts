import { join } from "node:path";
import { readSource, sourceFiles } from "./files.ts";
import type { SourceModule } from "./module.ts";
import { parseModule, unreadableModule } from "./parse.ts";
import { openResolver } from "./resolve.ts";

/** The files of one application, parsed when they are asked for. Nothing here throws. */
export interface Project {
  /** Absolute path of the application's root. */
  readonly root: string;
  /** Paths of the application's own source files, sorted. */
  files(): readonly string[];
  /** Undefined when there is no such file. A file that cannot be read is an empty module with a syntax error. */
  module(path: string): SourceModule | undefined;
  /** Every module of `files()`. */
  modules(): Iterable<SourceModule>;
  /** Path of the module that an import means; undefined for `fw`, for a package and for a file that is not there. */
  resolve(from: string, specifier: string): string | undefined;
}

/** A project whose files change on disk. */
export interface OpenProject extends Project {
  /** Forgets what was read of these files, and of the directory tree when some came or went. */
  update(changes: readonly FileChange[]): void;
  /** Runs a reading and answers which files it looked at, by path; a missing file that it looked for counts. */
  observe<T>(read: () => T): { readonly result: T; readonly files: ReadonlySet<string> };
}

export interface FileChange {
  /** Relative to the application's root, with forward slashes. */
  readonly path: string;
  readonly kind: "changed" | "created" | "deleted";
}

export function openProject(root: string): OpenProject {
  return new FileProject(root);
}

class FileProject implements OpenProject {
  readonly root: string;
  readonly #resolver: ReturnType<typeof openResolver>;
  readonly #modules = new Map<string, SourceModule | undefined>();
  #files: readonly string[] | undefined;
  #observed: Set<string> | undefined;

  constructor(root: string) {
    this.root = root;
    this.#resolver = openResolver(root);
  }

  files(): readonly string[] {
    this.#files ??= sourceFiles(this.root);
    return this.#files;
  }

  module(path: string): SourceModule | undefined {
    this.#observed?.add(path);
    if (!this.#modules.has(path)) this.#modules.set(path, this.#read(path));
    return this.#modules.get(path);
  }

  *modules(): Iterable<SourceModule> {
    for (const path of this.files()) {
      const module = this.module(path);
      if (module) yield module;
    }
  }

  resolve(from: string, specifier: string): string | undefined {
    return this.#resolver.resolve(from, specifier);
  }

  update(changes: readonly FileChange[]): void {
    for (const { path } of changes) this.#modules.delete(path);
    if (changes.every(({ kind }) => kind === "changed")) return;
    this.#files = undefined;
    this.#resolver.forget();
  }

  observe<T>(read: () => T): { readonly result: T; readonly files: ReadonlySet<string> } {
    const outer = this.#observed;
    const files = new Set<string>();
    this.#observed = files;
    try {
      return { result: read(), files };
    } finally {
      this.#observed = outer;
      for (const path of files) outer?.add(path);
    }
  }

  #read(path: string): SourceModule | undefined {
    const source = readSource(join(this.root, path));
    if (!source) return undefined;
    return "text" in source ? parseModule(path, source.text) : unreadableModule(path, source.why);
  }
}
