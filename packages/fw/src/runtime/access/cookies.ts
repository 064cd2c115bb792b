import { cookieName } from "../../lib/cookie-names.ts";

/** The value of a cookie, or undefined. Where a name is repeated the first counts, which the browser holds for the most specific. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (let start = 0; start < header.length;) {
    const next = header.indexOf(";", start);
    const end = next === -1 ? header.length : next;
    const equals = header.indexOf("=", start);
    if (equals !== -1 && equals < end && header.slice(start, equals).trim() === name) {
      return header.slice(equals + 1, end).trim();
    }
    start = end + 1;
  }
  return undefined;
}

/**
 * A Set-Cookie header of a cookie that scripts cannot read: for the browser's own session, or for `maxAge` seconds; 0 removes the cookie. Sent along when a link of
 * another site leads here, and with nothing else that another site starts.
 */
export function setCookie(name: string, value: string, secure: boolean, maxAge?: number): string {
  const lifetime = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${cookieName(name, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${lifetime}${secure ? "; Secure" : ""}`;
}
