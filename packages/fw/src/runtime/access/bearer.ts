/** The token of an Authorization header; undefined where the header is no bearer token. */
export function bearerToken(authorization: string): string | undefined {
  return /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(authorization)?.[1];
}
