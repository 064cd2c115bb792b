import type { App, Endpoint } from "../../model/app.ts";
import { declarationKey, endpointsOf, knowsVisitors, recordedJobs } from "../../model/declarations.ts";
import type { EntryUses } from "../../model/uses.ts";
import type { DeclaredModule } from "../declared.ts";
import type { Project } from "../source/project.ts";
import { identifiesUser, ContextFlow } from "./context-flow.ts";
import { reach, type Node } from "./reach.ts";

/**
 * Finds the endpoints that may identify the user, by `declarationKey`; none if the application has no users. Pages,
 * mounts and endpoints with an access rule always do, APIs with a maxAge never do; for others the code is followed.
 */
export function endpointsIdentifyingUser(
  project: Project,
  app: App,
  modules: readonly DeclaredModule[],
): ReadonlySet<string> {
  if (!knowsVisitors(app)) return new Set();
  const flow = new ContextFlow(project, app, modules);
  const packages = app.packages.map(endpointsOf);
  const handlers = packages.map((endpoints) => endpoints.map((endpoint) => flow.handler(endpoint)));
  const reachedUses = reach(flow.follow());
  return new Set(
    packages.flatMap((endpoints, index) => identifyingEndpoints(endpoints, handlers[index] ?? [], reachedUses)),
  );
}

/** Finds the APIs that start a job whose runs record the requesting user, by `declarationKey`. */
export function requestersOf(app: App, uses: readonly EntryUses[]): readonly string[] {
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

/** Adds calls between endpoints of a package, which run in the same process with the caller's context. */
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

/** Pages also render refusals, and to render them despite a maxAge, fw needs the refused user. */
function mayIdentifyUser({ kind, settings }: Endpoint, code: boolean): boolean {
  if (kind !== "api" || settings.signIn || settings.allow !== undefined) return true;
  return (settings.maxAge ?? 0) === 0 && code;
}
