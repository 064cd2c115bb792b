import type { App } from "../../model/app.ts";
import type { EntryUses } from "../../model/uses.ts";
import type { DeclaredModule } from "../declared.ts";
import type { SourceModule } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { entryUses } from "./entries.ts";
import { graphOf } from "./graph.ts";
import { linksOf, type LinkedModule } from "./links.ts";

interface Known {
  readonly linked: LinkedModule;
  /** The modules that were looked at, by path. */
  readonly seen: ReadonlyMap<string, SourceModule | undefined>;
}

/** Reads what the code of an application uses, and again that of modules that depend on what changed. */
export class UsesReader {
  readonly #project: OpenProject;
  readonly #known = new WeakMap<object, Known>();

  constructor(project: OpenProject) {
    this.#project = project;
  }

  /** What each handler of an application can reach. */
  read(app: App, modules: readonly DeclaredModule[]): readonly EntryUses[] {
    return entryUses(app, graphOf(app, this.#linked(modules)));
  }

  /** Every module with what it leads to: those of the application, and those elsewhere that it imports. */
  #linked(modules: readonly DeclaredModule[]): readonly LinkedModule[] {
    const own = new Map(modules.map((each) => [each.module.path, each]));
    const found = new Map<string, LinkedModule>();
    const waiting = [...own.keys()];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const module = found.has(path) ? undefined : this.#project.module(path);
      if (!module) continue;
      const linked = this.#module(module, own.get(path));
      found.set(path, linked);
      waiting.push(...linked.imports, ...linked.parts.flatMap(({ loads }) => loads));
    }
    return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  }

  #module(module: SourceModule, declared: DeclaredModule | undefined): LinkedModule {
    const key = declared ?? module;
    const known = this.#known.get(key);
    if (known && this.#isCurrent(known)) return known.linked;
    const read = (): LinkedModule => linksOf(this.#project, module, declared?.declared ?? []);
    const { result: linked, files } = this.#project.observe(read);
    const seen = new Map([...files].map((path) => [path, this.#project.module(path)]));
    this.#known.set(key, { linked, seen });
    return linked;
  }

  #isCurrent({ seen }: Known): boolean {
    for (const [path, module] of seen) if (this.#project.module(path) !== module) return false;
    return true;
  }
}
