import type { App, Endpoint } from "../../model/app.ts";
import { declarationKey, endpointsOf, knowsVisitors } from "../../model/declarations.ts";
import type { DeclaredModule } from "../declared.ts";
import type { Project } from "../source/project.ts";
import { asked, ContextFlow } from "./context-flow.ts";
import { reach, type Node } from "./reach.ts";

type Reached = ReturnType<typeof reach>;

/**
 * The endpoints that may ask who visits, as `declarationKey` writes them; none where of nobody it can be known. Pages, mounts and those with a
 * gate do, APIs with a maxAge don't; of any other the code is followed.
 */
export function endpointsThatAsk(project: Project, app: App, modules: readonly DeclaredModule[]): ReadonlySet<string> {
  if (!knowsVisitors(app)) return new Set();
  const flow = new ContextFlow(project, app, modules);
  const packages = app.packages.map(endpointsOf);
  const handlers = packages.map((endpoints) => endpoints.map((endpoint) => flow.handler(endpoint)));
  const reached = reach(flow.follow());
  return new Set(packages.flatMap((endpoints, index) => askingOf(endpoints, handlers[index] ?? [], reached)));
}

/** The code of a package that calls an endpoint of its own runs that in place, with its own context. */
function askingOf(endpoints: readonly Endpoint[], handlers: readonly number[], reached: Reached): readonly string[] {
  const keys = endpoints.map(({ declaration }) => declarationKey(declaration));
  const nodes = handlers.map((handler): Node => {
    const found = reached(handler);
    const at = found.get(asked);
    const called = keys.flatMap((key, index) => (found.has(key) ? [index] : []));
    return { uses: new Map(at && [[asked, at]]), next: called };
  });
  const asks = reach(nodes);
  return keys.filter((_, index) => endpoints[index] && mayAsk(endpoints[index], asks(index).size > 0));
}

/** Pages are shown in refusals, too: with a maxAge they ask for who is refused. */
function mayAsk({ kind, settings }: Endpoint, code: boolean): boolean {
  if (kind !== "api" || settings.signIn || settings.allow !== undefined) return true;
  return (settings.maxAge ?? 0) === 0 && code;
}
