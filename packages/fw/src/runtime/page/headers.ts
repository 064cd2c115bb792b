import type { Request } from "../request.ts";
import type { RawHeaders } from "../exchange/exchange.ts";

const contentSecurityPolicy =
  "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'; object-src 'none'";

/**
 * Headers of a page's answer: how long it may be cached, and by what it varies. A browser that goes back takes what it
 * kept even where it was to ask again, and htmx may have got a part of the page at the same address.
 */
export function cacheHeaders({ varies }: Pick<Request, "varies">, maxAge: number): RawHeaders {
  return ["Cache-Control", maxAge === 0 ? "no-cache" : `public, max-age=${maxAge}`, "Vary", varies];
}

/** Adds the security headers that whole documents carry and fragments do not. */
export function addDocumentHeaders(headers: RawHeaders): void {
  headers.push("Content-Security-Policy-Report-Only", contentSecurityPolicy, "X-Content-Type-Options", "nosniff");
}
