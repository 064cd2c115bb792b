import type { Project } from "./project.ts";

/**
 * Tracks the modules that a reading uses, for each part of it. Adding a path and listing the paths of a part are cheap.
 */
export class PathTracker {
  #paths: string[] = [];
  #last: string | undefined;
  /** Shared lists with one path, the common case. */
  readonly #single = new Map<string, readonly string[]>();

  add(path: string): void {
    if (path === this.#last) return;
    this.#last = path;
    this.#paths.push(path);
  }

  addAll(paths: readonly string[]): void {
    for (const path of paths) this.add(path);
  }

  /**
   * Runs a part and returns the paths it added, without duplicates. If it throws, its paths still count for the
   * enclosing parts.
   */
  during<T>(part: () => T): { readonly value: T; readonly paths: readonly string[] } {
    const start = this.#paths.length;
    this.#last = undefined;
    const value = part();
    const paths = this.#addedSince(start);
    return { value, paths };
  }

  #addedSince(start: number): readonly string[] {
    const count = this.#paths.length - start;
    if (count === 0) return none;
    if (count === 1) return this.#lastAsList();
    const paths = [...new Set(this.#paths.slice(start))];
    this.#paths.length = start;
    this.#paths.push(...paths);
    this.#last = paths.at(-1);
    return paths.length === 1 ? this.#lastAsList() : paths;
  }

  /** Returns a list with only the last path. */
  #lastAsList(): readonly string[] {
    const path = this.#paths.at(-1) ?? "";
    const list = this.#single.get(path) ?? [path];
    this.#single.set(path, list);
    return list;
  }
}

const none: readonly string[] = [];

/** Wraps a project so that every module it returns is tracked. */
export function trackModules(project: Project, tracker: PathTracker): Project {
  return {
    root: project.root,
    files: () => project.files(),
    module(path) {
      tracker.add(path);
      return project.module(path);
    },
    modules: () => project.modules(),
    scripts: () => project.scripts(),
    ambient: () => project.ambient(),
    resolve: (from, specifier) => project.resolve(from, specifier),
    relyOn: (literal) => project.relyOn(literal),
    trackLiterals: (read) => project.trackLiterals(read),
  };
}
