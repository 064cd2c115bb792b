import { percentDecoded } from "../lib/percent.ts";
import type { App, Endpoint } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import type { Segment } from "../model/route.ts";

/** An endpoint, and the service that has it. */
export interface Placed {
  readonly service: string;
  readonly endpoint: Endpoint;
}

/** Finds the endpoint of a request among those of all services. */
export class Routes {
  /** The most specific first. */
  readonly #placed: readonly Placed[];

  constructor({ packages }: App) {
    const placed = packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ service: pkg.service, endpoint })));
    this.#placed = placed.toSorted(rank);
  }

  /** The endpoint that answers, the most specific one; of two services with one route, the first keeps it. */
  find(method: string, path: string): Placed | undefined {
    const asked = method === "HEAD" ? "GET" : method;
    return this.#fitting(path).find(({ endpoint }) => endpoint.route.method === asked);
  }

  /** A service that knows the path under another method, and can say which. */
  findPath(path: string): Placed | undefined {
    return this.#fitting(path)[0];
  }

  /** The methods that endpoints of all services take at a path. */
  methodsOf(path: string): readonly string[] {
    return this.#fitting(path).map(({ endpoint }) => endpoint.route.method);
  }

  /** The methods that any endpoint takes, sorted. */
  get methods(): readonly string[] {
    return [...new Set(this.#placed.map(({ endpoint }) => endpoint.route.method))].toSorted();
  }

  #fitting(path: string): readonly Placed[] {
    const parts = path.split("/").slice(1);
    return this.#placed.filter(({ endpoint }) => fits(endpoint.route.segments, parts));
  }
}

/** Puts the more specific one of two routes that fit one path first: it has a literal where the other has a parameter. */
function rank(a: Placed, b: Placed): number {
  const [one, other] = [shape(a), shape(b)];
  return one === other ? 0 : one < other ? -1 : 1;
}

function shape({ endpoint }: Placed): string {
  return endpoint.route.segments.map((segment) => ("param" in segment ? "p" : "l")).join("");
}

function fits(segments: readonly Segment[], parts: readonly string[]): boolean {
  if (segments.length === 0) return parts.length === 1 && parts[0] === "";
  return segments.length === parts.length && segments.every((segment, i) => takes(segment, parts[i] ?? ""));
}

function takes(segment: Segment, part: string): boolean {
  return "param" in segment ? part !== "" : segment.literal === percentDecoded(part);
}
