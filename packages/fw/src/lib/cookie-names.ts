/** The cookie of a session, before what its connection adds. */
export const sessionCookie = "fw_session";

/** The name of a cookie of fw, which is bound to its host where the connection is secure. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}
