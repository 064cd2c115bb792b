import type { App, Endpoint } from "../model/app.ts";
import { precedence } from "../model/precedence.ts";

/** Two routes of different packages that one port cannot serve both; the first keeps it. */
export interface RouteClash {
  readonly kept: Endpoint;
  readonly lost: Endpoint;
}

/**
 * The same route in two packages is right when each is a service, but not on the one port of the dev loop. Packages
 * come in name order, so the first in name order keeps the route.
 */
export function routeClashes({ packages }: App): RouteClash[] {
  const clashes: RouteClash[] = [];
  const byShape = new Map<string, { endpoint: Endpoint; package: string }[]>();
  for (const { dir, endpoints } of packages) {
    for (const endpoint of endpoints) {
      const { method, segments } = endpoint.route;
      const shape = `${method} ${segments.length}`;
      const known = byShape.get(shape) ?? [];
      byShape.set(shape, known);
      const rival = known.find((other) => other.package !== dir && clash(other.endpoint, endpoint));
      if (rival) clashes.push({ kept: rival.endpoint, lost: endpoint });
      else known.push({ endpoint, package: dir });
    }
  }
  return clashes;
}

function clash(first: Endpoint, second: Endpoint): boolean {
  const which = precedence(first.route, second.route);
  return which === "same" || which === "neither";
}
