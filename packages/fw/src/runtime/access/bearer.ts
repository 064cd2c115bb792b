import type { Headers } from "../exchange/exchange.ts";

/** Returns the bearer token in a request's Authorization header; undefined if there is no well-formed one. */
export function bearerToken(request: Headers): string | undefined {
  const authorization = request.header("authorization");
  return authorization === undefined ? undefined : /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(authorization)?.[1];
}

/** The prefix of access tokens, which lets secret scanners recognize leaked tokens. */
export const accessTokenPrefix = "fwt_";

export function isAccessToken(text: string): boolean {
  return /^fwt_[\w-]{43}$/.test(text);
}
