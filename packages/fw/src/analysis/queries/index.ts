import type { DeclaredModule } from "../declared.ts";
import { noQueries, type QueriesRead } from "../readers/query.ts";
import type { SourceModule } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { Flow } from "./flow.ts";
import { Report } from "./report.ts";

interface Known {
  readonly found: QueriesRead;
  /** The modules that were looked at, by path. */
  readonly seen: ReadonlyMap<string, SourceModule | undefined>;
}

/** Reads the queries of an application, and again those of modules that depend on what changed. */
export class QueryReader {
  readonly #project: OpenProject;
  readonly #known = new WeakMap<SourceModule, Known>();

  constructor(project: OpenProject) {
    this.#project = project;
  }

  /** Nothing is looked at where no entity is declared. */
  read(modules: readonly DeclaredModule[]): QueriesRead {
    if (!modules.some(({ declared }) => declared.some(({ call }) => call.name === "Entity"))) return noQueries;
    const parts = modules.filter(({ module }) => mayQuery(module)).map(({ module }) => this.#module(module));
    return {
      uses: parts.flatMap(({ uses }) => uses),
      fields: parts.flatMap(({ fields }) => fields),
      faults: parts.flatMap(({ faults }) => faults),
    };
  }

  #module(module: SourceModule): QueriesRead {
    const known = this.#known.get(module);
    if (known && this.#isCurrent(known)) return known.found;
    const report = new Report();
    const { files } = this.#project.observe(() => new Flow(this.#project, report).module(module));
    const seen = new Map([...files].map((path) => [path, this.#project.module(path)]));
    const found = report.found();
    this.#known.set(module, { found, seen });
    return found;
  }

  #isCurrent({ seen }: Known): boolean {
    for (const [path, module] of seen) if (this.#project.module(path) !== module) return false;
    return true;
  }
}

function mayQuery({ text, syntaxErrors }: SourceModule): boolean {
  const steps = /\.\s*(?:query|where|orderBy|limit|all|first|count|page|each)\s*\(/;
  return syntaxErrors.length === 0 && steps.test(text);
}
