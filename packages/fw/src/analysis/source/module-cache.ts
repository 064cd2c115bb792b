import type { SourceModule } from "./module.ts";
import type { OpenProject } from "./project.ts";

interface Kept<T> {
  readonly reading: T;
  /** The modules that were looked at, by path. */
  readonly seen: ReadonlyMap<string, SourceModule | undefined>;
}

/** Readings of modules, each kept for as long as every module that it looked at stays the same. */
export class ModuleCache<T> {
  readonly #project: OpenProject;
  readonly #kept = new WeakMap<object, Kept<T>>();

  constructor(project: OpenProject) {
    this.#project = project;
  }

  /** What is known of `key`, or what `read` reads now. */
  of(key: object, read: () => T): T {
    const known = this.#kept.get(key);
    if (known && this.#isCurrent(known)) return known.reading;
    const { result: reading, files } = this.#project.observe(read);
    const seen = new Map([...files].map((path) => [path, this.#project.module(path)]));
    this.#kept.set(key, { reading, seen });
    return reading;
  }

  #isCurrent({ seen }: Kept<T>): boolean {
    for (const [path, module] of seen) if (this.#project.module(path) !== module) return false;
    return true;
  }
}
