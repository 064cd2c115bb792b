import type { BundledEndpoint } from "../bundle.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/** Returns how long shared caches may store a response: the route's maxAge in seconds; with 0 they must revalidate. */
export function cacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}` : "no-cache";
}

/**
 * The `Cache-Control` of a refusal. A gate's refusal is for this user only, and changes with the next sign-in. Every
 * response of a page is `no-cache`.
 */
export function refusalCaching({ endpoint }: Pick<Request, "endpoint">, status: number): "no-store" | "no-cache" {
  return (status === 401 || status === 403) && endpoint?.kind !== "page" ? "no-store" : "no-cache";
}

/**
 * Returns the caching headers for a page. It must vary by htmx, which may have fetched a fragment from the same
 * address: a browser that navigates back reuses its cached response without revalidation.
 */
export function pageCaching({ varies }: Pick<Request, "varies">, maxAge: number): RawHeaders {
  return ["Cache-Control", cacheControl(maxAge), "Vary", varies];
}

/**
 * Returns the caching headers for an API response to which maxAge does not apply. Caches must not store it if it
 * depends on a session or a gate.
 */
export function apiCaching(
  { claim }: Pick<Request, "claim">,
  { signIn }: BundledEndpoint,
  { setsCookies = false, status = 200 }: { readonly setsCookies?: boolean; readonly status?: number | undefined },
): RawHeaders {
  if (claim !== undefined || signIn || setsCookies) return ["Cache-Control", "no-store"];
  return status < 400 ? [] : ["Cache-Control", "no-cache"];
}
