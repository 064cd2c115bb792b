import { isToken } from "../../lib/http-token.ts";
import { preflightMaxAge } from "../../lib/limits.ts";
import { packageOf, type Wiring } from "../application.ts";
import type { BundledEndpoint, BundledOrigins } from "../bundle.ts";
import type { Exchange, Headers, RawHeaders } from "../exchange/exchange.ts";

/** The origins whose pages may call an endpoint; undefined where no other than its own may. */
export function originsOf(app: Wiring, endpoint: BundledEndpoint): BundledOrigins | undefined {
  return endpoint.kind !== "page" && !endpoint.private ? packageOf(app, endpoint)?.origins : undefined;
}

/** True for a request of a page of an exactly named origin that may act with the visitor's session. */
export function mayActFrom(app: Wiring, endpoint: BundledEndpoint, request: Headers): boolean {
  const origins = originsOf(app, endpoint);
  return origins?.credentials === true && origins.allowed !== "*" && isAllowed(origins, request.header("origin"));
}

/**
 * What an answer says to the browser about the page of another origin that asked. `headers` are those that it has besides, of which the
 * page may read every one.
 */
export function originHeaders(origins: BundledOrigins, request: Headers, headers: Readonly<RawHeaders>): RawHeaders {
  const said = allowHeaders(origins, request.header("origin"));
  if (said.length === 0) return vary(origins);
  const names = headers.filter((_, index) => index % 2 === 0).map(String);
  const readable = [...new Set(names.filter((name) => !unreadable.test(name)))];
  return [...said, ...vary(origins), "Access-Control-Expose-Headers", readable.join(", ")];
}

/** Those that a page may read anyway, and those that no page may. */
const unreadable =
  /^(?:cache-control|content-language|content-length|content-type|expires|last-modified|pragma|set-cookie|vary|connection)$/i;

/** The method that a browser asks about before it has a page of another origin use it; undefined for another request. */
export function preflightMethod(exchange: Pick<Exchange, "method" | "header">): string | undefined {
  if (exchange.method !== "OPTIONS" || exchange.header("origin") === undefined) return undefined;
  return exchange.header("access-control-request-method");
}

/** The answer to such a question, which lets in the headers that are asked for: what an endpoint does not bind it does not see. */
export function preflightHeaders(origins: BundledOrigins, method: string, request: Headers): RawHeaders {
  const varies = ["Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"];
  const said = allowHeaders(origins, request.header("origin"));
  if (said.length === 0) return varies;
  const wanted = request.header("access-control-request-headers")?.trim() ?? "";
  const names = wanted.split(",").map((name) => name.trim());
  return [
    ...said,
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

function isAllowed({ allowed }: BundledOrigins, origin: string | undefined): boolean {
  return allowed !== "*" && origin !== undefined && allowed.includes(origin);
}

function vary({ allowed }: BundledOrigins): RawHeaders {
  return allowed === "*" ? [] : ["Vary", "Origin"];
}
