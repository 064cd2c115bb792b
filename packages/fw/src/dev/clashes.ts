import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { precedence } from "../model/precedence.ts";
import { RouteTree } from "../model/route-tree.ts";

/** Two routes of different packages that cannot both be served on one port. */
export interface RouteClash {
  readonly winner: Endpoint;
  readonly loser: Endpoint;
}

interface ServedRoute {
  readonly endpoint: Endpoint;
  readonly dir: string;
  /** The number of routes that were added before it. */
  readonly order: number;
}

/**
 * Finds routes that clash on the dev server's single port. They are valid in a deploy, where each package is its own
 * service. Packages are sorted by name, and the first package with a route serves it.
 */
export function routeClashes({ packages }: App): RouteClash[] {
  const clashes: RouteClash[] = [];
  const routes = new RouteTree<ServedRoute>();
  let order = 0;
  for (const pkg of packages) {
    for (const endpoint of endpointsOf(pkg)) {
      const [rival] = routes
        .overlapping(endpoint.route)
        .filter((other) => other.dir !== pkg.dir && clash(other.endpoint, endpoint))
        .toSorted((a, b) => a.order - b.order);
      if (rival) clashes.push({ winner: rival.endpoint, loser: endpoint });
      else routes.add(endpoint.route, { endpoint, dir: pkg.dir, order: order++ });
    }
  }
  return clashes;
}

function clash(first: Endpoint, second: Endpoint): boolean {
  const which = precedence(first.route, second.route);
  return which === "same" || which === "neither";
}
