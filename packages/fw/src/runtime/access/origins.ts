import { isToken } from "../../lib/http-token.ts";
import { preflightMaxAge } from "../../lib/limits.ts";
import { packageOf, type Wiring } from "../application.ts";
import type { BundledEndpoint, BundledOrigins } from "../bundle.ts";
import type { Exchange, Headers, RawHeaders } from "../exchange/exchange.ts";

/** Returns the origins whose pages may call an endpoint; undefined if only its own origin's pages may. */
export function originsOf(app: Wiring, endpoint: BundledEndpoint): BundledOrigins | undefined {
  return endpoint.kind !== "page" && !endpoint.private ? packageOf(app, endpoint)?.origins : undefined;
}

/** True if the request's origin is listed by name and may use the user's session. */
export function mayActFrom(app: Wiring, endpoint: BundledEndpoint, request: Headers): boolean {
  const origins = originsOf(app, endpoint);
  return origins?.credentials === true && origins.allowed !== "*" && isAllowed(origins, request.header("origin"));
}

/** Returns the CORS headers of a response. `headers` are its other headers, which the page may read. */
export function originHeaders(origins: BundledOrigins, request: Headers, headers: Readonly<RawHeaders>): RawHeaders {
  const allow = allowHeaders(origins, request.header("origin"));
  if (allow.length === 0) return vary(origins);
  const names = headers.filter((_, index) => index % 2 === 0).map(String);
  const readable = [...new Set(names.filter((name) => !unreadable.test(name)))];
  return [...allow, ...vary(origins), "Access-Control-Expose-Headers", readable.join(", ")];
}

/** Headers left out of Access-Control-Expose-Headers: readable anyway, never, or of no use. */
const unreadable =
  /^(?:cache-control|content-language|content-length|content-type|expires|last-modified|pragma|set-cookie|vary|connection)$/i;

/** Returns the method of a CORS preflight; undefined for any other request. */
export function preflightMethod(exchange: Pick<Exchange, "method" | "header">): string | undefined {
  if (exchange.method !== "OPTIONS" || exchange.header("origin") === undefined) return undefined;
  return exchange.header("access-control-request-method");
}

/**
 * Returns the headers of the response to a CORS preflight. Allows every requested header, because endpoints ignore
 * headers that they do not bind.
 */
export function preflightHeaders(origins: BundledOrigins, method: string, request: Headers): RawHeaders {
  const varies = ["Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"];
  const allow = allowHeaders(origins, request.header("origin"));
  if (allow.length === 0) return varies;
  const requested = request.header("access-control-request-headers")?.trim() ?? "";
  const names = requested.split(",").map((name) => name.trim());
  return [
    ...allow,
    ...varies,
    "Access-Control-Allow-Methods",
    method,
    ...(names.every((name) => isToken(name)) ? ["Access-Control-Allow-Headers", names.join(", ")] : []),
    "Access-Control-Max-Age",
    preflightMaxAge,
  ];
}

function allowHeaders(origins: BundledOrigins, origin: string | undefined): RawHeaders {
  if (origins.allowed === "*") return ["Access-Control-Allow-Origin", "*"];
  if (origin === undefined || !isAllowed(origins, origin)) return [];
  const credentials = origins.credentials ? ["Access-Control-Allow-Credentials", "true"] : [];
  return ["Access-Control-Allow-Origin", origin, ...credentials];
}

export function isAllowed({ allowed }: BundledOrigins, origin: string | undefined): boolean {
  return allowed === "*" || (origin !== undefined && allowed.includes(origin));
}

function vary({ allowed }: BundledOrigins): RawHeaders {
  return allowed === "*" ? [] : ["Vary", "Origin"];
}
