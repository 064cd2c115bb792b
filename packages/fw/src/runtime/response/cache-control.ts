import type { BundledEndpoint } from "../bundle.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/** Returns how long shared caches may keep an answer: the route's maxAge in seconds; with 0 they must revalidate it. */
export function cacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}` : "no-cache";
}

/**
 * The `Cache-Control` of a refusal: one of a gate is for this user only, and changes with the next sign-in. Every
 * answer of a page is `no-cache`.
 */
export function refusalCaching({ endpoint }: Pick<Request, "endpoint">, status: number): "no-store" | "no-cache" {
  return (status === 401 || status === 403) && endpoint?.kind !== "page" ? "no-store" : "no-cache";
}

/**
 * Returns the caching headers of a page's answer. It must vary by htmx, which may have fetched a fragment from the same
 * address: a browser that navigates back reuses its cached answer without revalidating it.
 */
export function pageCaching({ varies }: Pick<Request, "varies">, maxAge: number): RawHeaders {
  return ["Cache-Control", cacheControl(maxAge), "Vary", varies];
}

/**
 * Returns the caching headers of an API's answer: maxAge does not apply to it, and no cache may store one that depends
 * on a session or a gate.
 */
export function apiCaching(
  { claim }: Pick<Request, "claim">,
  { signIn }: BundledEndpoint,
  { setsCookies = false, status = 200 }: { readonly setsCookies?: boolean; readonly status?: number | undefined },
): RawHeaders {
  if (claim !== undefined || signIn || setsCookies) return ["Cache-Control", "no-store"];
  return status < 400 ? [] : ["Cache-Control", "no-cache"];
}
