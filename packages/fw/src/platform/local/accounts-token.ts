import { createHmac, timingSafeEqual } from "node:crypto";

/** What a local ID token says. */
export interface TokenClaims {
  /** The account's id. */
  readonly account: string;
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** A local ID token: `<claims as JSON>.<HMAC-SHA-256 of it>`, both in base64url. */
export function sealToken(key: Uint8Array, claims: TokenClaims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${payload}.${mac(key, payload).toString("base64url")}`;
}

/** What the token says, or why it does not count. */
export function openToken(key: Uint8Array, token: string, now: number): TokenClaims | { readonly refused: string } {
  const [payload = "", signature = "", ...more] = token.split(".", 3);
  const given = Buffer.from(signature, "base64url");
  const right = mac(key, payload);
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right))
    return { refused: "it was not made by this server" };
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as TokenClaims;
  return claims.expires > now ? claims : { refused: "it has expired" };
}

function mac(key: Uint8Array, payload: string): Buffer {
  return createHmac("sha256", key).update(payload).digest();
}
