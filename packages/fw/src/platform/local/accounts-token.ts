import { openText, sealText } from "./sealed-text.ts";

/** What a local ID token says. */
export interface TokenClaims {
  /** The account's id. */
  readonly account: string;
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** A local ID token. */
export function sealToken(key: Uint8Array, claims: TokenClaims): string {
  return sealText(key, JSON.stringify(claims));
}

/** What the token says, or why it does not count. */
export function openToken(key: Uint8Array, token: string, now: number): TokenClaims | { readonly refused: string } {
  const text = openText(key, token);
  if (text === undefined) return { refused: "it was not made by this server" };
  const claims = JSON.parse(text) as TokenClaims;
  return claims.expires > now ? claims : { refused: "it has expired" };
}
