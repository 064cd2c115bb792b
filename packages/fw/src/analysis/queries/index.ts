import type { ESTree } from "rolldown/utils";
import type { DeclaredModule } from "../declared.ts";
import { noQueries, type QueriesRead, type QueryFault } from "../readers/query.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import { spanOf } from "../source/position.ts";
import type { ConstantRead } from "../tracing/constant-writes.ts";
import { isSameSet } from "../../lib/same-items.ts";
import { Flow } from "./flow.ts";
import { keyAt, Report, type QueriesInModule } from "./report.ts";
import { entityKeys, entityReferences, type EntityReference } from "./unwalked.ts";

/** Reads the queries of an application, and again those of modules that depend on what changed. */
export class QueryReader {
  readonly #project: OpenProject;
  readonly #cache: ModuleCache<QueriesInModule>;
  #constantReads: readonly ConstantRead[] = [];
  #entities: ReadonlySet<string> = new Set();
  #references: ModuleCache<readonly EntityReference[]>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#cache = new ModuleCache(project);
    this.#references = new ModuleCache(project);
  }

  /** The literals that decide what queries ask, of what was read last. */
  get constantReads(): readonly ConstantRead[] {
    return this.#constantReads;
  }

  /** Nothing is looked at where no entity is declared. */
  read(modules: readonly DeclaredModule[]): QueriesRead {
    if (!modules.some(({ declared }) => declared.some(({ call }) => call.name === "Entity"))) return noQueries;
    const walked = querying(this.#project, modules);
    const reports = walked.map((module) => this.#module(module));
    this.#constantReads = reports.flatMap(({ constantReads }) => constantReads);
    return {
      uses: reports.flatMap(({ uses }) => uses),
      fields: reports.flatMap(({ fields }) => fields),
      faults: this.#faults(reports, modules, new Set(walked)),
    };
  }

  /** What the walk tells, and behind it what it does not know of although the references of a module have it. */
  #faults(
    reports: readonly QueriesInModule[],
    modules: readonly DeclaredModule[],
    walked: ReadonlySet<SourceModule>,
  ): readonly QueryFault[] {
    const reported = [...reports.flatMap(({ faults }) => faults), ...unknownEntities(reports)];
    const entities = entityKeys(modules);
    const references = modules.flatMap(({ module }) =>
      module.syntaxErrors.length > 0 ? [] : this.#referencesIn(module, entities),
    );
    return [...reported, ...unwalked(references, walked, reports, reported)];
  }

  #referencesIn(module: SourceModule, entities: ReadonlySet<string>): readonly EntityReference[] {
    if (!isSameSet(this.#entities, entities)) {
      this.#entities = entities;
      this.#references = new ModuleCache(this.#project);
    }
    return this.#references.of(module, () => entityReferences({ project: this.#project, module, entities }));
  }

  #module(module: SourceModule): QueriesInModule {
    return this.#cache.of(module, () => {
      const report = new Report();
      new Flow(this.#project, report).module(module);
      return report.found();
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
function unknownEntities(reports: readonly QueriesInModule[]): readonly QueryFault[] {
  const begun = new Set(reports.flatMap((report) => [...report.begun]));
  const unknown = reports
    .flatMap((report) => report.unknown)
    .filter(({ at, called }) => called || !begun.has(keyAt(at)));
  const places = new Map(unknown.map(({ at }) => [keyAt(at), at]));
  return Array.from(places.values(), (at) => ({ kind: "escape", at, how: unfollowed, begins: at, unknown: true }));
}

/** Where an entity is asked, or handed to code of others, and no run came by it. */
function unwalked(
  references: readonly EntityReference[],
  walked: ReadonlySet<SourceModule>,
  reports: readonly QueriesInModule[],
  reported: readonly QueryFault[],
): readonly QueryFault[] {
  const [visited, entities] = [union(reports, "visited"), union(reports, "entities")];
  const places = new Set(reported.map(({ at }) => keyAt(at)));
  return references.flatMap(({ module, nodes, does }): readonly QueryFault[] => {
    const at = spanOf(module, nodes.at(-1) ?? module.program);
    const isVisited = !walked.has(module) || nodes.some((node) => visited.has(node));
    const isKnown =
      does === "asks"
        ? nodes.some((node) => entities.has(node)) || places.has(keyAt(at))
        : does !== "gives-away" && isVisited;
    const how = does === "gives-away" ? "begins with an entity that code of a package gets" : unfollowed;
    return isKnown ? [] : [{ kind: "escape", at, how, begins: at, unknown: true }];
  });
}

function union(reports: readonly QueriesInModule[], what: "visited" | "entities"): ReadonlySet<ESTree.Node> {
  return new Set(reports.flatMap((report) => [...report[what]]));
}

const unfollowed = "begins with an entity that is handed on to where it cannot be followed";
