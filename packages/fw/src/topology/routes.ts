import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { isBelow, longestFirst } from "../model/mounts.ts";
import { RouteTree } from "../model/route-tree.ts";

/** An endpoint, and the service that has it. */
export interface ServedEndpoint {
  readonly service: string;
  readonly endpoint: Endpoint;
}

/** Under which routes of any method are found together. */
const anyMethod = "";

/** Finds the endpoint of a request among those of all services. */
export class Routes {
  readonly #mounts: readonly ServedEndpoint[];
  readonly #tree = new RouteTree<ServedEndpoint>();
  /** The methods that any endpoint takes, sorted. */
  readonly methods: readonly string[];

  constructor({ packages }: App) {
    const served = packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ service: pkg.service, endpoint })));
    const routed = served.filter(({ endpoint }) => endpoint.kind !== "mount");
    const mounts = served.filter(({ endpoint }) => endpoint.kind === "mount");
    for (const entry of routed) this.#tree.add({ ...entry.endpoint.route, method: anyMethod }, entry);
    this.#mounts = longestFirst(mounts, ({ endpoint }) => endpoint.route);
    this.methods = [...new Set(routed.map(({ endpoint }) => endpoint.route.method))].toSorted();
  }

  /** The endpoint that answers, the most specific one; of two services with one route, the first keeps it. */
  find(method: string, path: string): ServedEndpoint | undefined {
    const asked = method === "HEAD" ? "GET" : method;
    const routed = this.#fitting(path).find(({ endpoint }) => endpoint.route.method === asked);
    return routed ?? this.#mounts.find(({ endpoint }) => isBelow(path, endpoint.route));
  }

  /** A service that knows the path under another method, and can say which. */
  findPath(path: string): ServedEndpoint | undefined {
    return this.#fitting(path)[0];
  }

  /** The methods that endpoints of all services take at a path. */
  methodsOf(path: string): readonly string[] {
    return this.#fitting(path).map(({ endpoint }) => endpoint.route.method);
  }

  #fitting(path: string): readonly ServedEndpoint[] {
    return this.#tree.fitting(anyMethod, path);
  }
}
