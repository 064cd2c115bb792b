import type { BundledEndpoint } from "../bundle.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/** Lets shared caches store a response for the route's maxAge in seconds; with 0, they must revalidate it. */
export function cacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}` : "no-cache";
}

/**
 * Returns the `Cache-Control` of a refusal. A gate's refusal applies only to this user and may change with the next
 * sign-in. All refusals of pages are `no-cache`.
 */
export function refusalCaching({ endpoint }: Pick<Request, "endpoint">, status: number): "no-store" | "no-cache" {
  return (status === 401 || status === 403) && endpoint?.kind !== "page" ? "no-store" : "no-cache";
}

/**
 * Returns the caching headers for a page. It must vary by htmx, which may have fetched a fragment from the same
 * address: when a user navigates back, the browser reuses its cached response without revalidating it.
 */
export function pageCaching({ varies }: Pick<Request, "varies">, maxAge: number): RawHeaders {
  return ["Cache-Control", cacheControl(maxAge), "Vary", varies];
}

/**
 * Returns the caching headers for an API response to which maxAge does not apply. Caches must not store a response that
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
