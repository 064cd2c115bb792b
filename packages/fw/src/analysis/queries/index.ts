import type { ESTree } from "rolldown/utils";
import type { DeclaredModule } from "../declared.ts";
import { noQueries, type EscapeFault, type QueriesRead, type QueryFault } from "../readers/query.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule, SourceNode } from "../source/module.ts";
import type { OpenProject } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { ConstantRead } from "../tracing/constant-writes.ts";
import { isSameSet } from "../../lib/same-items.ts";
import { QueryInterpreter } from "./interpreter.ts";
import { keyAt, QueryReport, spanAt, type QueriesInModule, type UnknownQuery } from "./report.ts";
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

  /** Reads the queries in all modules; none if the application declares no entity. */
  read(modules: readonly DeclaredModule[]): QueriesRead {
    this.#constantReads = [];
    if (!modules.some(({ declared }) => declared.some(({ call }) => call.name === "Entity"))) return noQueries;
    const interpreted = modulesWithQueries(this.#project, modules);
    const reports = interpreted.map((module) => this.#module(module));
    this.#constantReads = reports.flatMap(({ constantReads }) => constantReads);
    const unknown = unknownQueries(reports);
    const reported = [
      ...reports.flatMap(({ faults }) => faults),
      ...unknown.flatMap(({ place, isUnclear }) => (isUnclear ? [] : [unfollowedAt(place)])),
    ];
    const unreached = unreachedUses(this.#entityUses(modules), new Set(interpreted), reports, reported);
    return {
      uses: reports.flatMap(({ uses }) => uses),
      fields: reports.flatMap(({ fields }) => fields),
      skipping: reports.flatMap(({ skipping }) => skipping),
      faults: [...reported, ...unreached.flatMap((use) => (use.action === "may-ask" ? [] : [faultOf(use)]))],
      unclear: [
        ...unknown.flatMap(({ place, isUnclear }) => (isUnclear ? [place] : [])),
        ...unreached.flatMap((use) => (use.action === "may-ask" ? [placeOf(use)] : [])),
      ],
    };
  }

  /** Returns the uses of entities, found independently of the interpreter. */
  #entityUses(modules: readonly DeclaredModule[]): readonly EntityUse[] {
    const entities = entityKeys(modules);
    return modules.flatMap(({ module }) =>
      module.syntaxErrors.length > 0 ? [] : this.#referencesIn(module, entities),
    );
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

/** Finds modules that use queries, and their importers, which may pass entities to them. */
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

/**
 * Finds queries on possible entities. In a function without known callers, leaves out queries that also start on a
 * known entity.
 */
function unknownQueries(reports: readonly QueriesInModule[]): readonly UnknownQuery[] {
  const startedQueries = new Set(reports.flatMap((report) => [...report.startedQueries]));
  const unknown = reports
    .flatMap((report) => report.unknown)
    .map((query) => ({ query, key: keyAt(spanAt(query.place)) }))
    .filter(({ query: { isCalled }, key }) => isCalled || !startedQueries.has(key));
  return [...new Map(unknown.map(({ query, key }) => [key, query])).values()];
}

/** Finds the uses that the interpreter missed: in code that it did not reach, or as an argument for a package. */
function unreachedUses(
  uses: readonly EntityUse[],
  interpreted: ReadonlySet<SourceModule>,
  reports: readonly QueriesInModule[],
  reported: readonly QueryFault[],
): readonly EntityUse[] {
  const [visited, entities] = [union(reports, "visited"), union(reports, "entities")];
  const places = new Set(reported.map(({ at }) => keyAt(at)));
  return uses.filter((use) => {
    const { module, nodes, action } = use;
    if (action === "asks") return !nodes.some((node) => entities.has(node)) && !places.has(keyAt(spanAt(placeOf(use))));
    return action === "gives-away" || (interpreted.has(module) && !nodes.some((node) => visited.has(node)));
  });
}

function faultOf(use: EntityUse): QueryFault {
  const how = use.action === "gives-away" ? "begins with an entity that is passed to a package" : undefined;
  return unfollowedAt(placeOf(use), how);
}

function placeOf({ module, nodes }: EntityUse): SourceNode {
  return { module, node: nodes.at(-1) ?? module.program };
}

/** Returns the fault for a query whose entity fw cannot follow. */
export function unfollowedAt(
  place: SourceNode,
  how = "begins with an entity that is passed where fw cannot follow it",
): EscapeFault {
  const at = spanAt(place);
  return { kind: "escape", at, how, begins: at, unknown: true };
}

function union(reports: readonly QueriesInModule[], what: "visited" | "entities"): ReadonlySet<ESTree.Node> {
  return new Set(reports.flatMap((report) => [...report[what]]));
}
