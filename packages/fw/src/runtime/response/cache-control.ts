import type { BundledEndpoint } from "../bundle.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/**
 * Returns a `Cache-Control` that lets shared caches store a response for `maxAge` seconds; with 0, caches must
 * revalidate it.
 */
export function cacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}` : "no-cache";
}

/**
 * Returns the `Cache-Control` of a refusal. A 401 or 403 is `no-store`, because it applies only to this user and may
 * change with the next sign-in. Other refusals, and all refusals of pages, are `no-cache`.
 */
export function refusalCaching({ endpoint }: Pick<Request, "endpoint">, status: number): "no-store" | "no-cache" {
  return (status === 401 || status === 403) && endpoint?.kind !== "page" ? "no-store" : "no-cache";
}

/**
 * Returns the caching headers for a page. `Vary` keeps a browser from showing a cached htmx fragment of the same
 * address when the user navigates back.
 */
export function pageCaching({ varies }: Pick<Request, "varies">, maxAge: number): RawHeaders {
  return ["Cache-Control", cacheControl(maxAge), "Vary", varies];
}

/**
 * Returns the caching headers for a JSON response. Caches must not store a response that sets cookies or depends on a
 * user.
 */
export function apiCaching(
  { claim }: Pick<Request, "claim">,
  { signIn }: BundledEndpoint,
  { setsCookies = false, status = 200 }: { readonly setsCookies?: boolean; readonly status?: number | undefined },
): RawHeaders {
  if (claim !== undefined || signIn || setsCookies) return ["Cache-Control", "no-store"];
  return status < 400 ? [] : ["Cache-Control", "no-cache"];
}
