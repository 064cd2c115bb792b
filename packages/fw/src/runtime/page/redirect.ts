import { Fault } from "../../declare/errors.ts";
import type { Redirection } from "../../declare/redirect.ts";
import type { Request } from "../request.ts";
import { sendEmpty } from "../response/send.ts";
import { pageCaching } from "../response/cache-control.ts";

/**
 * Sends 303 or 301. To a browser with htmx, sends 200 with `HX-Redirect`, because the browser would follow a redirect
 * before htmx sees it.
 */
export function sendRedirection(request: Request, { target, permanent }: Redirection, maxAge: number): void {
  const location = headerURL(target);
  const headers = pageCaching(request, maxAge);
  if (request.isHTMX && request.caller === undefined)
    return sendEmpty(request, 200, [...headers, "HX-Redirect", location]);
  sendEmpty(request, permanent ? 301 : 303, [...headers, "Location", location]);
}

/** Encodes a URL for a header. Throws a Fault for non-HTTP schemes, which could run as scripts. */
export function headerURL(target: string): string {
  const location = Buffer.from(target)
    .toString()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(location)?.[0].toLowerCase();
  if (location === "" || (scheme !== undefined && scheme !== "http" && scheme !== "https")) {
    throw new Fault(`a redirect needs a path or an http URL, not ${JSON.stringify(target)}`);
  }
  return location;
}
