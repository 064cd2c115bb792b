import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { isBelow, longestFirst } from "../model/mounts.ts";
import { RouteTree } from "../model/route-tree.ts";

export interface ServedEndpoint {
  readonly service: string;
  readonly endpoint: Endpoint;
}

/** The key for routes that match any method. */
const anyMethod = "";

/** Finds the endpoint of a request in all services. */
export class Routes {
  readonly #mounts: readonly ServedEndpoint[];
  readonly #tree = new RouteTree<ServedEndpoint>();
  /** All methods of the endpoints other than mounts, sorted. */
  readonly methods: readonly string[];

  constructor({ packages }: App) {
    const all = packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ service: pkg.service, endpoint })));
    const routed = all.filter(({ endpoint }) => endpoint.kind !== "mount");
    const mounts = all.filter(({ endpoint }) => endpoint.kind === "mount");
    for (const entry of routed) this.#tree.add({ ...entry.endpoint.route, method: anyMethod }, entry);
    this.#mounts = longestFirst(mounts, ({ endpoint }) => endpoint.route);
    this.methods = [...new Set(routed.map(({ endpoint }) => endpoint.route.method))].toSorted();
  }

  /**
   * Finds the most specific endpoint; undefined if none matches. If two services have the same route, the first one
   * wins.
   */
  find(method: string, path: string): ServedEndpoint | undefined {
    const effectiveMethod = method === "HEAD" ? "GET" : method;
    const routed = this.#fitting(path).find(({ endpoint }) => endpoint.route.method === effectiveMethod);
    return routed ?? this.#mounts.find(({ endpoint }) => isBelow(path, endpoint.route));
  }

  /**
   * Finds an endpoint that matches the path with any method, so that its service can list the methods; undefined if
   * there is none.
   */
  findPath(path: string): ServedEndpoint | undefined {
    return this.#fitting(path)[0];
  }

  methodsOf(path: string): readonly string[] {
    return this.#fitting(path).map(({ endpoint }) => endpoint.route.method);
  }

  #fitting(path: string): readonly ServedEndpoint[] {
    return this.#tree.fitting(anyMethod, path);
  }
}
