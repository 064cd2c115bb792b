import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
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
  const routes = new RivalIndex();
  for (const pkg of packages) {
    for (const endpoint of endpointsOf(pkg)) {
      const rival = routes.rivals(endpoint).find((other) => other.dir !== pkg.dir && clash(other.endpoint, endpoint));
      if (rival) clashes.push({ kept: rival.endpoint, lost: endpoint });
      else routes.add({ endpoint, dir: pkg.dir });
    }
  }
  return clashes;
}

interface Placed {
  readonly endpoint: Endpoint;
  readonly dir: string;
}

/** Only routes with the same method and length, and without different literals in front, can clash. */
class RivalIndex {
  readonly #byStart: Map<string, Placed[]> = new Map();
  readonly #byShape: Map<string, Placed[]> = new Map();

  add(placed: Placed): void {
    const { shape, start } = keysOf(placed.endpoint);
    append(this.#byShape, shape, placed);
    append(this.#byStart, `${shape} ${start ?? ""}`, placed);
  }

  rivals(endpoint: Endpoint): readonly Placed[] {
    const { shape, start } = keysOf(endpoint);
    if (start === undefined) return this.#byShape.get(shape) ?? [];
    return [...(this.#byStart.get(`${shape} ${start}`) ?? []), ...(this.#byStart.get(`${shape} `) ?? [])];
  }
}

function keysOf({ route: { method, segments } }: Endpoint): {
  readonly shape: string;
  readonly start: string | undefined;
} {
  const [first] = segments;
  return {
    shape: `${method} ${segments.length}`,
    start: first && "literal" in first ? `/${first.literal}` : undefined,
  };
}

function append(lists: Map<string, Placed[]>, key: string, placed: Placed): void {
  const list = lists.get(key);
  if (list) list.push(placed);
  else lists.set(key, [placed]);
}

function clash(first: Endpoint, second: Endpoint): boolean {
  const which = precedence(first.route, second.route);
  return which === "same" || which === "neither";
}
