/** The token of an Authorization header; undefined where the header is no bearer token. */
export function bearerToken(authorization: string): string | undefined {
  return /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(authorization)?.[1];
}

/** What an access token begins with, so that it is known where it lies about. */
export const accessTokenPrefix = "fwt_";

/** Whether a credential has the form of an access token. */
export function isAccessToken(text: string): boolean {
  return /^fwt_[\w-]{43}$/.test(text);
}
