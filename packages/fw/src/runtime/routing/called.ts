import { decodedExactly } from "../../lib/percent.ts";
import type { Bundle, BundledEndpoint } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";

/** The header in which a call of another service names the endpoint that it means. */
export const calledRouteHeader = "x-fw-route";

/** An endpoint that a call names, with the values that the path has for its parameters. */
export interface CalledEndpoint {
  readonly endpoint: BundledEndpoint;
  readonly params: string[];
}

/**
 * A pattern as calls name it, `GET /orders/{}`, in ASCII. The names of parameters are left out: a service that calls may be of a
 * version before one was renamed.
 */
export function routeName(route: string): string {
  return route.replaceAll(/\{[^}]*\}/g, "{}").replaceAll(/[^ -~]+/g, encodeURIComponent);
}

/**
 * The endpoint that is named so, whatever other route fits the path as well. Undefined where there is none, or where the path is not
 * one of its. Throws a BadInput for a malformed path.
 */
export function findCalled(bundle: Bundle, name: string, path: string): CalledEndpoint | undefined {
  const endpoint = namedEndpoints(bundle).get(name);
  const params = endpoint && paramsIn(endpoint.route, path);
  return endpoint && params && { endpoint, params };
}

/** The values of the pattern's parameters in a path; undefined where the path does not fit. Throws a BadInput for a malformed one. */
export function paramsIn(route: string, path: string): string[] | undefined {
  const pattern = route.slice(route.indexOf(" ") + 1).split("/");
  const segments = path.split("/").map(decoded);
  if (segments.length !== pattern.length) return undefined;
  const isParam = pattern.map((segment) => segment.startsWith("{"));
  if (segments.some((segment, i) => (isParam[i] === true ? segment === "" : segment !== pattern[i]))) return undefined;
  return segments.filter((_, i) => isParam[i]);
}

function decoded(segment: string): string {
  const value = decodedExactly(segment);
  if (value === undefined) throw new BadInput(messages.badRequest);
  return value;
}

const known = new WeakMap<Bundle, ReadonlyMap<string, BundledEndpoint>>();

function namedEndpoints(bundle: Bundle): ReadonlyMap<string, BundledEndpoint> {
  const named = known.get(bundle) ?? new Map(bundle.endpoints.map((each) => [routeName(each.route), each]));
  known.set(bundle, named);
  return named;
}
