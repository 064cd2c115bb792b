import type { App, Endpoint } from "../../model/app.ts";
import {
  hasLivePages,
  recordedJobs,
  declarationKey,
  ofKind,
  endpointsOf,
  knowsVisitors,
} from "../../model/declarations.ts";
import type { EntryUses, Use } from "../../model/uses.ts";
import type { DeclaredModule } from "../declared.ts";
import { machineTimes } from "../clock/index.ts";
import type { MachineTime } from "../readers/machine-time.ts";
import type { UnfollowedUse } from "../readers/unfollowed-use.ts";
import type { RawCall } from "../readers/raw-call.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { ModuleCache } from "../source/module-cache.ts";
import { entryUses } from "./entries.ts";
import { graphOf, type Graph } from "./graph.ts";
import { linksOf, type LinkedModule } from "./links.ts";
import { RawCalls } from "./raw-calls.ts";
import { readingOperations } from "../../model/grants.ts";
import { identifiesUser, ContextFlow } from "./context-flow.ts";
import { reach, type Node } from "./reach.ts";

/** Determines which resources the code of an application uses. Rereads only modules whose dependencies changed. */
export class UsesReader {
  readonly #project: OpenProject;
  readonly #links: ModuleCache<LinkedModule>;
  readonly #rawCalls: RawCalls;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#links = new ModuleCache(project);
    this.#rawCalls = new RawCalls(project);
  }

  /** Lists what each handler can reach, and whether its response may depend on the user. */
  read(app: App, modules: readonly DeclaredModule[]): readonly EntryUses[] {
    const graph = this.#graph(app, modules);
    const asking = endpointsIdentifyingUser(this.#project, app, modules);
    const starting = recordedJobs(app.packages).length === 0 ? [] : requestersOf(app, entryUses(app, graph, asking));
    return entryUses(app, graph, starting.length === 0 ? asking : new Set([...asking, ...starting]));
  }

  /** Finds calls of other packages' endpoint handlers, and calls that pass one on. */
  rawCalls(app: App, modules: readonly DeclaredModule[]): readonly RawCall[] {
    return this.#rawCalls.read(app, modules, () => this.#graph(app, modules));
  }

  /** Finds clock reads with an effect on data, messages or responses. */
  machineTimes(app: App, modules: readonly DeclaredModule[]): readonly MachineTime[] {
    return machineTimes(this.#project, app, modules, () => this.#graph(app, modules));
  }

  /** Finds operations of live pages that change data, or read data whose changes do not reach browsers. */
  unfollowed(app: App, modules: readonly DeclaredModule[]): readonly UnfollowedUse[] {
    if (!app.packages.some(hasLivePages)) return [];
    return unfollowedUses(app, entryUses(app, this.#graph(app, modules), new Set()));
  }

  /** Builds the graph of the application's modules and of outside modules that they import. */
  #graph(app: App, modules: readonly DeclaredModule[]): Graph {
    const own = new Map(modules.map((module) => [module.module.path, module]));
    const linkedModules = new Map<string, LinkedModule>();
    const waiting = [...own.keys()];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const module = linkedModules.has(path) ? undefined : this.#project.module(path);
      if (!module) continue;
      const declaredModule = own.get(path);
      const linked = this.#links.of(declaredModule ?? module, () =>
        linksOf(this.#project, module, declaredModule?.declared ?? []),
      );
      linkedModules.set(path, linked);
      waiting.push(...linked.imports, ...linked.parts.flatMap(({ loads }) => loads));
    }
    return graphOf(
      app,
      [...linkedModules.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    );
  }
}

/** Lists the operations of live pages for which `isFollowed` is false. */
function unfollowedUses({ packages }: App, uses: readonly EntryUses[]): readonly UnfollowedUse[] {
  const pages = packages.flatMap((pkg) => ofKind(pkg, "page")).filter(({ settings }) => settings.live === true);
  const routes = new Map(pages.map(({ declaration, route }) => [declarationKey(declaration), route.pattern]));
  return uses.flatMap((entry) => {
    const route = routes.get(declarationKey(entry));
    if (route === undefined) return [];
    return entry.uses.flatMap((use) =>
      isFollowed(use) ? [] : [{ route, operation: `${use.operation} of ${subjectOf(use)}`, at: use.at }],
    );
  });
}

/** True for an operation that a live page can follow: it reads documents, or neither reads nor changes data. */
function isFollowed({ kind, operation }: Use): boolean {
  if (kind === "entity") return readingOperations.has(operation);
  // The runs of jobs are documents.
  if (kind === "job") return readingOperations.has(operation);
  return kind === "secret" || (kind === "bucket" && operation.startsWith("signed"));
}

function subjectOf({ kind, name }: Use): string {
  return name === "" ? kind : `the ${kind} ${name}`;
}

/**
 * Returns the `declarationKey`s of endpoints that may identify the user; empty if the application has no users. APIs
 * without an access rule count if they have no maxAge and their code may identify the user; all other endpoints count.
 */
function endpointsIdentifyingUser(project: Project, app: App, modules: readonly DeclaredModule[]): ReadonlySet<string> {
  if (!knowsVisitors(app)) return new Set();
  const flow = new ContextFlow(project, app, modules);
  const packages = app.packages.map(endpointsOf);
  const handlers = packages.map((endpoints) => endpoints.map((endpoint) => flow.handler(endpoint)));
  const reachedUses = reach(flow.follow());
  return new Set(
    packages.flatMap((endpoints, index) => identifyingEndpoints(endpoints, handlers[index] ?? [], reachedUses)),
  );
}

/** Returns the keys of the endpoints without a maxAge that start a job whose runs record the user. */
function requestersOf(app: App, uses: readonly EntryUses[]): readonly string[] {
  if (!knowsVisitors(app)) return [];
  const recordedNames = new Set(recordedJobs(app.packages).map(({ name }) => name));
  const starts = uses.filter((entry) =>
    entry.uses.some(({ kind, name, operation }) => kind === "job" && operation === "start" && recordedNames.has(name)),
  );
  const keys = new Set(starts.map(declarationKey));
  return app.packages
    .flatMap(endpointsOf)
    .filter(({ declaration, settings }) => keys.has(declarationKey(declaration)) && !settings.maxAge)
    .map(({ declaration }) => declarationKey(declaration));
}

/** Returns the keys of a package's endpoints that may identify the user, themselves or through endpoints they call. */
function identifyingEndpoints(
  endpoints: readonly Endpoint[],
  handlers: readonly number[],
  reachedUses: ReturnType<typeof reach>,
): readonly string[] {
  const keys = endpoints.map(({ declaration }) => declarationKey(declaration));
  const nodes = handlers.map((handler): Node => {
    const uses = reachedUses(handler);
    const at = uses.get(identifiesUser);
    const calledNodes = keys.flatMap((key, index) => (uses.has(key) ? [index] : []));
    return { uses: new Map(at && [[identifiesUser, at]]), next: calledNodes };
  });
  const asks = reach(nodes);
  return keys.filter((_, index) => endpoints[index] && mayIdentifyUser(endpoints[index], asks(index).size > 0));
}

/**
 * True if an endpoint may identify the user; `code` is true if its code may. Endpoints other than APIs always may: a
 * page, for example, renders refusals for the user.
 */
function mayIdentifyUser({ kind, settings }: Endpoint, code: boolean): boolean {
  if (kind !== "api" || settings.signIn || settings.allow !== undefined) return true;
  return (settings.maxAge ?? 0) === 0 && code;
}
