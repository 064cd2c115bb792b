/** The name of the session cookie, without the prefix for secure connections. */
export const sessionCookie = "fw_session";

/** Returns the name of one of fw's cookies. On a secure connection, a prefix binds the cookie to the host. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}
