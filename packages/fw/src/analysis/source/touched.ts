import type { Project } from "./project.ts";

/** Paths of the modules that a reading looks at, part by part: cheap to add to, and to ask what one part added. */
export class Touched {
  #paths: string[] = [];
  #last: string | undefined;

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
    const added = this.#paths.slice(start);
    if (added.length < 2) return { value, paths: added };
    const paths = [...new Set(added)];
    this.#paths.length = start;
    this.#paths.push(...paths);
    this.#last = paths.at(-1);
    return { value, paths };
  }
}

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
  };
}
