import type { IncomingHttpHeaders } from "node:http";

/** True when the browser says that another site's page sent the request: by Sec-Fetch-Site, else by Origin. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "cross-site";
  const { origin, host } = headers;
  if (origin === undefined || origin === "null" || host === undefined) return false;
  const scheme = origin.indexOf("://");
  return scheme === -1 || origin.slice(scheme + 3).toLowerCase() !== host.toLowerCase();
}
