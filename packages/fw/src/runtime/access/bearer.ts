import type { Headers } from "../exchange/exchange.ts";

/** Returns the token of a request's Authorization header; undefined without one, or for another scheme. */
export function bearerToken(request: Headers): string | undefined {
  const authorization = request.header("authorization");
  return authorization === undefined ? undefined : /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(authorization)?.[1];
}

/** The prefix of access tokens, by which secret scanners recognize a leaked one. */
export const accessTokenPrefix = "fwt_";

export function isAccessToken(text: string): boolean {
  return /^fwt_[\w-]{43}$/.test(text);
}
