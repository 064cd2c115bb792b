import type { Headers } from "../exchange/exchange.ts";

/**
 * True if the browser reports, in Sec-Fetch-Site or else in Origin, that a page of another origin sent the request.
 * Counts a sibling host as another origin, because it can plant cookies that are not bound to one host.
 */
export function isCrossOrigin(request: Headers): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.header("origin");
  const host = request.header("host");
  if (origin === undefined || origin === "null" || host === undefined) return false;
  const scheme = origin.indexOf("://");
  return scheme === -1 || origin.slice(scheme + 3).toLowerCase() !== host.toLowerCase();
}

/**
 * True if the request may come from another origin, or if the browser hides its origin. Intended for requests without a
 * form token.
 */
export function mayBeCrossOrigin(request: Headers): boolean {
  const isHidden = request.header("origin") === "null" && request.header("sec-fetch-site") === undefined;
  return isCrossOrigin(request) || isHidden;
}
