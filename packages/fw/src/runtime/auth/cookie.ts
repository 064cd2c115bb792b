import { cookieName, sessionCookie } from "../../lib/cookie-names.ts";
import { sessionMs } from "../../lib/limits.ts";
import { readCookie, setCookie } from "../access/cookies.ts";

const encodedId = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the session id in a Cookie header; undefined if there is none that fw could have created. `secure` is the
 * request's: over HTTPS, only the host-bound cookie is accepted.
 */
export function readSessionCookie(header: string | undefined, secure: boolean): string | undefined {
  if (header === undefined) return undefined;
  const id = readCookie(header, cookieName(sessionCookie, secure));
  return id !== undefined && encodedId.test(id) ? id : undefined;
}

/** Creates the Set-Cookie header that stores a session in the browser for the session's lifetime. */
export function setSessionCookie(id: string, secure: boolean): string {
  return setCookie(sessionCookie, id, secure, sessionMs / 1000);
}

export function clearSessionCookie(secure: boolean): string {
  return setCookie(sessionCookie, "", secure, 0);
}
