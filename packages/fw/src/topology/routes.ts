import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
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
  readonly #tree = new RouteTree<ServedEndpoint>();
  /** The methods that any endpoint takes, sorted. */
  readonly methods: readonly string[];

  constructor({ packages }: App) {
    const served = packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ service: pkg.service, endpoint })));
    for (const each of served) this.#tree.add({ ...each.endpoint.route, method: anyMethod }, each);
    this.methods = [...new Set(served.map(({ endpoint }) => endpoint.route.method))].toSorted();
  }

  /** The endpoint that answers, the most specific one; of two services with one route, the first keeps it. */
  find(method: string, path: string): ServedEndpoint | undefined {
    const asked = method === "HEAD" ? "GET" : method;
    return this.#fitting(path).find(({ endpoint }) => endpoint.route.method === asked);
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
