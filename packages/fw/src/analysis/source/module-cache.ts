import type { SourceModule } from "./module.ts";
import type { OpenProject } from "./project.ts";

interface CachedReading<T> {
  readonly reading: T;
  /** The modules on which the reading depends, by path. */
  readonly dependencies: ReadonlyMap<string, SourceModule | undefined>;
}

/** Caches readings of modules. A reading is valid as long as every module it depends on is the same object. */
export class ModuleCache<T> {
  readonly #project: OpenProject;
  readonly #cache = new WeakMap<object, CachedReading<T>>();

  constructor(project: OpenProject) {
    this.#project = project;
  }

  /** Returns the cached reading of `key`, or runs `read`. */
  of(key: object, read: () => T): T {
    const cached = this.#cache.get(key);
    if (cached && this.#isCurrent(cached)) return cached.reading;
    const { result: reading, files } = this.#project.observe(read);
    const dependencies = new Map([...files].map((path) => [path, this.#project.module(path)]));
    this.#cache.set(key, { reading, dependencies });
    return reading;
  }

  #isCurrent({ dependencies }: CachedReading<T>): boolean {
    for (const [path, module] of dependencies) if (this.#project.module(path) !== module) return false;
    return true;
  }
}
