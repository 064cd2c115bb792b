import type { App } from "../../model/app.ts";
import type { EntryUses } from "../../model/uses.ts";
import type { DeclaredModule } from "../declared.ts";
import type { RawCall } from "../readers/raw-call.ts";
import type { OpenProject } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import { entryUses } from "./entries.ts";
import { graphOf, type Graph } from "./graph.ts";
import { linksOf, type LinkedModule } from "./links.ts";
import { RawCalls } from "./raw-calls.ts";
import { endpointsThatAsk } from "./visitors.ts";

/** Reads what the code of an application uses, and again that of modules that depend on what changed. */
export class UsesReader {
  readonly #project: OpenProject;
  readonly #links: ModuleCache<LinkedModule>;
  readonly #rawCalls: RawCalls;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#links = new ModuleCache(project);
    this.#rawCalls = new RawCalls(project);
  }

  /** What each handler of an application can reach, and whether it may ask who visits. */
  read(app: App, modules: readonly DeclaredModule[]): readonly EntryUses[] {
    return entryUses(app, this.#graph(app, modules), endpointsThatAsk(this.#project, app, modules));
  }

  /** Where code of one package calls the handler of another one's endpoint by itself. */
  rawCalls(app: App, modules: readonly DeclaredModule[]): readonly RawCall[] {
    return this.#rawCalls.read(app, modules, () => this.#graph(app, modules));
  }

  /** Of every module: those of the application, and those elsewhere that it imports. */
  #graph(app: App, modules: readonly DeclaredModule[]): Graph {
    const own = new Map(modules.map((module) => [module.module.path, module]));
    const found = new Map<string, LinkedModule>();
    const waiting = [...own.keys()];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const module = found.has(path) ? undefined : this.#project.module(path);
      if (!module) continue;
      const known = own.get(path);
      const linked = this.#links.of(known ?? module, () => linksOf(this.#project, module, known?.declared ?? []));
      found.set(path, linked);
      waiting.push(...linked.imports, ...linked.parts.flatMap(({ loads }) => loads));
    }
    return graphOf(
      app,
      [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    );
  }
}
