import type { RawHeaders } from "../response/reply.ts";

const contentSecurityPolicy =
  "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'; object-src 'none'";

/** Headers of a page's answer: how long it may be cached and, where htmx may get another answer, by what it varies. */
export function cacheHeaders(maxAge: number): RawHeaders {
  if (maxAge === 0) return ["Cache-Control", "no-cache"];
  return ["Cache-Control", `public, max-age=${maxAge}`, "Vary", "HX-Request"];
}

/** Adds the security headers that whole documents carry and fragments do not. */
export function addDocumentHeaders(headers: RawHeaders): void {
  headers.push("Content-Security-Policy-Report-Only", contentSecurityPolicy, "X-Content-Type-Options", "nosniff");
}
