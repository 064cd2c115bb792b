import type { Project } from "./project.ts";

/** Paths of the modules that a reading looks at, part by part: cheap to add to, and to ask what one part added. */
export class Touched {
  #paths: string[] = [];
  #last: string | undefined;
  /** Most parts look at one module. */
  readonly #single = new Map<string, readonly string[]>();

  add(path: string): void {
    if (path === this.#last) return;
    this.#last = path;
    this.#paths.push(path);
  }

  addAll(paths: readonly string[]): void {
    for (const path of paths) this.add(path);
  }

  /** Runs a part and answers what it looked at, each path once. What a failing part looked at still counts outside. */
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
    if (count === 1) return this.#alone();
    const paths = [...new Set(this.#paths.slice(start))];
    this.#paths.length = start;
    this.#paths.push(...paths);
    this.#last = paths.at(-1);
    return paths.length === 1 ? this.#alone() : paths;
  }

  /** The path that was added last, in the list of just that one. */
  #alone(): readonly string[] {
    const path = this.#paths.at(-1) ?? "";
    const known = this.#single.get(path) ?? [path];
    this.#single.set(path, known);
    return known;
  }
}

const none: readonly string[] = [];

/** A project of which every module that is asked for counts as looked at. */
export function watched(project: Project, touched: Touched): Project {
  return {
    root: project.root,
    files: () => project.files(),
    module(path) {
      touched.add(path);
      return project.module(path);
    },
    modules: () => project.modules(),
    scripts: () => project.scripts(),
    ambient: () => project.ambient(),
    resolve: (from, specifier) => project.resolve(from, specifier),
    relyOn: (literal) => project.relyOn(literal),
    relying: (read) => project.relying(read),
  };
}
