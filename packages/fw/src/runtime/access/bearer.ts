import type { Headers } from "../exchange/exchange.ts";

/** The token of a request's Authorization header; undefined where there is none, or another credential. */
export function bearerToken(request: Headers): string | undefined {
  const authorization = request.header("authorization");
  return authorization === undefined ? undefined : /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(authorization)?.[1];
}

/** What an access token begins with, so that it is known where it lies about. */
export const accessTokenPrefix = "fwt_";

/** Whether a credential has the form of an access token. */
export function isAccessToken(text: string): boolean {
  return /^fwt_[\w-]{43}$/.test(text);
}
