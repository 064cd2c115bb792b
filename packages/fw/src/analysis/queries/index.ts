import type { DeclaredModule } from "../declared.ts";
import { noQueries, type QueriesRead, type QueryFault } from "../readers/query.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import { spanOf } from "../source/position.ts";
import type { Relied } from "../tracing/written-constants.ts";
import { Flow } from "./flow.ts";
import { keyAt, Report, type QueriesInModule } from "./report.ts";

interface Found extends QueriesInModule {
  readonly relied: readonly Relied[];
}

/** Reads the queries of an application, and again those of modules that depend on what changed. */
export class QueryReader {
  readonly #project: OpenProject;
  readonly #cache: ModuleCache<Found>;
  #relied: readonly Relied[] = [];

  constructor(project: OpenProject) {
    this.#project = project;
    this.#cache = new ModuleCache(project);
  }

  /** The literals whose members queries take for constants, of what was read last. */
  get relied(): readonly Relied[] {
    return this.#relied;
  }

  /** Nothing is looked at where no entity is declared. */
  read(modules: readonly DeclaredModule[]): QueriesRead {
    if (!modules.some(({ declared }) => declared.some(({ call }) => call.name === "Entity"))) return noQueries;
    const parts = querying(this.#project, modules).map((module) => this.#module(module));
    this.#relied = parts.flatMap(({ relied }) => relied);
    return {
      uses: parts.flatMap(({ uses }) => uses),
      fields: parts.flatMap(({ fields }) => fields),
      faults: [...parts.flatMap(({ faults }) => faults), ...unknownEntities(parts)],
    };
  }

  #module(module: SourceModule): Found {
    return this.#cache.of(module, () => {
      const report = new Report();
      const { literals } = this.#project.observe(() => new Flow(this.#project, report).module(module));
      return {
        ...report.found(),

        relied: literals.map((literal) => ({ literal, at: spanOf(module, module.program) })),
      };
    });
  }
}

/** The modules that name a query, and those that may give an entity to one: they import them, directly or not. */
function querying(project: OpenProject, modules: readonly DeclaredModule[]): readonly SourceModule[] {
  const naming = project.modules().filter(({ text }) => /\bquery\b/.test(text));
  const importers = importersOf(
    project,
    naming.map(({ path }) => path),
  );
  return modules.flatMap(({ module }) =>
    importers.has(module.path) && module.syntaxErrors.length === 0 ? [module] : [],
  );
}

/** Where something is asked that may be an entity, given by code that is not followed. */
function unknownEntities(parts: readonly Found[]): readonly QueryFault[] {
  const begun = new Set(parts.flatMap((each) => [...each.begun]));
  const unknown = parts.flatMap((each) => each.unknown).filter(({ at, called }) => called || !begun.has(keyAt(at)));
  const places = new Map(unknown.map(({ at }) => [keyAt(at), at]));
  return Array.from(places.values(), (at) => ({ kind: "escape", at, how: unfollowed, begins: at }));
}

const unfollowed = "begins with an entity that is handed on to where it cannot be followed";
