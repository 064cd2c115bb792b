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
import { QueryInterpreter } from "./interpreter.ts";
import { keyAt, QueryReport, type QueriesInModule } from "./report.ts";
import { entityKeys, findEntityUses, type EntityUse } from "./entity-uses.ts";

/** Reads the queries of an application. Rereads only modules whose dependencies changed. */
export class QueryReader {
  readonly #project: OpenProject;
  readonly #cache: ModuleCache<QueriesInModule>;
  #constantReads: readonly ConstantRead[] = [];
  #entities: ReadonlySet<string> = new Set();
  #references: ModuleCache<readonly EntityUse[]>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#cache = new ModuleCache(project);
    this.#references = new ModuleCache(project);
  }

  /** The literals that determine entities and fields of queries, from the last reading. */
  get constantReads(): readonly ConstantRead[] {
    return this.#constantReads;
  }

  /** Returns early if the application declares no entity. */
  read(modules: readonly DeclaredModule[]): QueriesRead {
    if (!modules.some(({ declared }) => declared.some(({ call }) => call.name === "Entity"))) return noQueries;
    const interpreted = modulesWithQueries(this.#project, modules);
    const reports = interpreted.map((module) => this.#module(module));
    this.#constantReads = reports.flatMap(({ constantReads }) => constantReads);
    return {
      uses: reports.flatMap(({ uses }) => uses),
      fields: reports.flatMap(({ fields }) => fields),
      skipping: reports.flatMap(({ skipping }) => skipping),
      faults: this.#faults(reports, modules, new Set(interpreted)),
    };
  }

  /** Combines the interpreter's faults with entity uses that it did not reach. */
  #faults(
    reports: readonly QueriesInModule[],
    modules: readonly DeclaredModule[],
    interpreted: ReadonlySet<SourceModule>,
  ): readonly QueryFault[] {
    const reported = [...reports.flatMap(({ faults }) => faults), ...unknownEntities(reports)];
    const entities = entityKeys(modules);
    const references = modules.flatMap(({ module }) =>
      module.syntaxErrors.length > 0 ? [] : this.#referencesIn(module, entities),
    );
    return [...reported, ...unreachedUses(references, interpreted, reports, reported)];
  }

  #referencesIn(module: SourceModule, entities: ReadonlySet<string>): readonly EntityUse[] {
    if (!isSameSet(this.#entities, entities)) {
      this.#entities = entities;
      this.#references = new ModuleCache(this.#project);
    }
    return this.#references.of(module, () => findEntityUses({ project: this.#project, module, entities }));
  }

  #module(module: SourceModule): QueriesInModule {
    return this.#cache.of(module, () => {
      const report = new QueryReport();
      new QueryInterpreter(this.#project, report).module(module);
      return report.result();
    });
  }
}

/** Finds modules that use queries and their importers, which may pass an entity to them. */
function modulesWithQueries(project: OpenProject, modules: readonly DeclaredModule[]): readonly SourceModule[] {
  const naming = project.modules().filter(({ text }) => /\bquery\b/.test(text));
  const importers = importersOf(
    project,
    naming.map(({ path }) => path),
  );
  return modules.flatMap(({ module }) =>
    importers.has(module.path) && module.syntaxErrors.length === 0 ? [module] : [],
  );
}

/** Reports queries on objects that may be entities and come from code that fw does not interpret. */
function unknownEntities(reports: readonly QueriesInModule[]): readonly QueryFault[] {
  const startedQueries = new Set(reports.flatMap((report) => [...report.startedQueries]));
  const unknown = reports
    .flatMap((report) => report.unknown)
    .filter(({ at, isCalled }) => isCalled || !startedQueries.has(keyAt(at)));
  const places = new Map(unknown.map(({ at }) => [keyAt(at), at]));
  return Array.from(places.values(), (at) => ({
    kind: "escape",
    at,
    how: unfollowedEntity,
    begins: at,
    unknown: true,
  }));
}

/** Finds entity uses in code that the interpreter did not reach. */
function unreachedUses(
  uses: readonly EntityUse[],
  interpreted: ReadonlySet<SourceModule>,
  reports: readonly QueriesInModule[],
  reported: readonly QueryFault[],
): readonly QueryFault[] {
  const [visited, entities] = [union(reports, "visited"), union(reports, "entities")];
  const places = new Set(reported.map(({ at }) => keyAt(at)));
  return uses.flatMap(({ module, nodes, action }): readonly QueryFault[] => {
    const at = spanOf(module, nodes.at(-1) ?? module.program);
    const isVisited = !interpreted.has(module) || nodes.some((node) => visited.has(node));
    const isKnown =
      action === "asks"
        ? nodes.some((node) => entities.has(node)) || places.has(keyAt(at))
        : action !== "gives-away" && isVisited;
    const how = action === "gives-away" ? "begins with an entity that is passed to a package" : unfollowedEntity;
    return isKnown ? [] : [{ kind: "escape", at, how, begins: at, unknown: true }];
  });
}

function union(reports: readonly QueriesInModule[], what: "visited" | "entities"): ReadonlySet<ESTree.Node> {
  return new Set(reports.flatMap((report) => [...report[what]]));
}

const unfollowedEntity = "begins with an entity that is passed where fw cannot follow it";
