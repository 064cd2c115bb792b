import { cookieName } from "../../lib/cookie-names.ts";

/**
 * Returns the value of a cookie, or undefined. If a name is repeated, the first cookie counts: browsers send the most
 * specific one first. Strips only spaces and tabs before the name. `trim()` would also strip a no-break space, and a
 * sibling host could then pass off its cookie as a `__Host-` cookie.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (let start = 0; start < header.length;) {
    const next = header.indexOf(";", start);
    const end = next === -1 ? header.length : next;
    while (header[start] === " " || header[start] === "\t") start++;
    const equals = start + name.length;
    if (header.startsWith(name, start) && header[equals] === "=") return header.slice(equals + 1, end).trim();
    start = end + 1;
  }
  return undefined;
}

/**
 * Creates a Set-Cookie header for a cookie that scripts cannot read. It lasts for the browser's session or for `maxAge`
 * seconds; 0 removes it. With SameSite=Lax, browsers send it when a user follows a link from another site, but not with
 * that site's other requests.
 */
export function setCookie(name: string, value: string, secure: boolean, maxAge?: number): string {
  const lifetime = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${cookieName(name, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${lifetime}${secure ? "; Secure" : ""}`;
}
