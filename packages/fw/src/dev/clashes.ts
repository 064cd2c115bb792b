import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { precedence } from "../model/precedence.ts";
import { RouteTree } from "../model/route-tree.ts";

/** Two routes of different packages that one port cannot serve both; the first keeps it. */
export interface RouteClash {
  readonly kept: Endpoint;
  readonly lost: Endpoint;
}

interface Kept {
  readonly endpoint: Endpoint;
  readonly dir: string;
  /** How many were kept before it. */
  readonly order: number;
}

/**
 * The same route in two packages is right when each is a service, but not on the one port of the dev loop. Packages
 * come in name order, so the first in name order keeps the route.
 */
export function routeClashes({ packages }: App): RouteClash[] {
  const clashes: RouteClash[] = [];
  const routes = new RouteTree<Kept>();
  let order = 0;
  for (const pkg of packages) {
    for (const endpoint of endpointsOf(pkg)) {
      const [rival] = routes
        .overlapping(endpoint.route)
        .filter((other) => other.dir !== pkg.dir && clash(other.endpoint, endpoint))
        .toSorted((a, b) => a.order - b.order);
      if (rival) clashes.push({ kept: rival.endpoint, lost: endpoint });
      else routes.add(endpoint.route, { endpoint, dir: pkg.dir, order: order++ });
    }
  }
  return clashes;
}

function clash(first: Endpoint, second: Endpoint): boolean {
  const which = precedence(first.route, second.route);
  return which === "same" || which === "neither";
}
