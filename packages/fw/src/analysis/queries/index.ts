import type { DeclaredModule } from "../declared.ts";
import { noQueries, type QueriesRead } from "../readers/query.ts";
import type { SourceModule } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import { Flow } from "./flow.ts";
import { Report } from "./report.ts";

/** Reads the queries of an application, and again those of modules that depend on what changed. */
export class QueryReader {
  readonly #project: OpenProject;
  readonly #readings: ModuleCache<QueriesRead>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#readings = new ModuleCache(project);
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
    return this.#readings.of(module, () => {
      const report = new Report();
      new Flow(this.#project, report).module(module);
      return report.found();
    });
  }
}

function mayQuery({ text, syntaxErrors }: SourceModule): boolean {
  const steps = /\.\s*(?:query|where|orderBy|limit|all|first|count|page|each)\s*\(/;
  return syntaxErrors.length === 0 && steps.test(text);
}
