import { openText, sealText } from "../../lib/sealed-text.ts";

export interface TokenClaims {
  readonly account: string;
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export function sealToken(key: Uint8Array, claims: TokenClaims): string {
  return sealText(key, JSON.stringify(claims));
}

/** Returns the token's claims, or why it is invalid. */
export function openToken(key: Uint8Array, token: string, now: number): TokenClaims | { readonly refused: string } {
  const text = openText(key, token);
  if (text === undefined) return { refused: "it has no valid signature of this server" };
  const claims = JSON.parse(text) as TokenClaims;
  return claims.expires > now ? claims : { refused: "it has expired" };
}
