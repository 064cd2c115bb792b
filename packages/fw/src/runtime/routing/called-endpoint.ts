import { decodedExactly } from "../../lib/percent.ts";
import type { Bundle, BundledEndpoint } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";

/** The header that names the endpoint in a call from another service. */
export const calledRouteHeader = "x-fw-route";

/** The endpoint that a call names, and the values of its path parameters. */
export interface CalledEndpoint {
  readonly endpoint: BundledEndpoint;
  readonly params: string[];
}

/**
 * Formats a route's pattern in ASCII for calls: `GET /orders/{}`. Omits parameter names, which may differ between the
 * versions of caller and service.
 */
export function routeName(route: string): string {
  return route.replaceAll(/\{[^}]*\}/g, "{}").replaceAll(/[^ -~]+/g, encodeURIComponent);
}

/**
 * Returns the endpoint called `name`, even if another route also matches the path. Undefined if there is none or its
 * pattern does not match the path. Throws a BadInput for a malformed path.
 */
export function findCalled(bundle: Bundle, name: string, path: string): CalledEndpoint | undefined {
  const endpoint = namedEndpoints(bundle).get(name);
  const params = endpoint && paramsIn(endpoint.route, path);
  return endpoint && params && { endpoint, params };
}

/**
 * Returns the values of the pattern's parameters in a path; undefined if it does not match. Throws a BadInput for a
 * malformed path.
 */
export function paramsIn(route: string, path: string): string[] | undefined {
  const pattern = route.slice(route.indexOf(" ") + 1).split("/");
  const segments = path.split("/").map(decodeSegment);
  if (segments.length !== pattern.length) return undefined;
  const isParam = pattern.map((segment) => segment.startsWith("{"));
  if (segments.some((segment, i) => (isParam[i] === true ? segment === "" : segment !== pattern[i]))) return undefined;
  return segments.filter((_, i) => isParam[i]);
}

function decodeSegment(segment: string): string {
  const value = decodedExactly(segment);
  if (value === undefined) throw new BadInput(messages.badRequest);
  return value;
}

const endpointsByName = new WeakMap<Bundle, ReadonlyMap<string, BundledEndpoint>>();

function namedEndpoints(bundle: Bundle): ReadonlyMap<string, BundledEndpoint> {
  const byName = endpointsByName.get(bundle) ?? new Map(bundle.endpoints.map((each) => [routeName(each.route), each]));
  endpointsByName.set(bundle, byName);
  return byName;
}
