import type { BundledEndpoint } from "../bundle.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/** How long everybody's answer may be kept: the route's maxAge in seconds, and with 0 until it is asked for again. */
export function cacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}` : "no-cache";
}

/**
 * The `Cache-Control` of a refusal: one of a gate is for this user only, and changes with the next sign-in. Every answer
 * of a page is `no-cache`.
 */
export function refusalCaching({ endpoint }: Pick<Request, "endpoint">, status: number): "no-store" | "no-cache" {
  return (status === 401 || status === 403) && endpoint?.kind !== "page" ? "no-store" : "no-cache";
}

/**
 * Headers of a page's answer: how long it may be cached, and by what it varies. A browser that goes back takes what it
 * kept even where it was to ask again, and htmx may have got a part of the page at the same address.
 */
export function pageCaching({ varies }: Pick<Request, "varies">, maxAge: number): RawHeaders {
  return ["Cache-Control", cacheControl(maxAge), "Vary", varies];
}

/** Headers of an API's answer: a maxAge has no effect on it, and no cache keeps what a session or a gate took part in. */
export function apiCaching(
  { claim }: Pick<Request, "claim">,
  { signIn }: BundledEndpoint,
  { setsCookies = false, status = 200 }: { readonly setsCookies?: boolean; readonly status?: number | undefined },
): RawHeaders {
  if (claim !== undefined || signIn || setsCookies) return ["Cache-Control", "no-store"];
  return status < 400 ? [] : ["Cache-Control", "no-cache"];
}
