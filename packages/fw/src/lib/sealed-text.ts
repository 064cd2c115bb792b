import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Signs a text as a token: `<text>.<HMAC-SHA-256>`, both in base64url. The holder can read the text, but cannot alter
 * it. Only the same `purpose` opens the token.
 */
export function sealText(key: Uint8Array, text: string, purpose: string = ""): string {
  const encoded = Buffer.from(text).toString("base64url");
  return `${encoded}.${sealOf(key, encoded, purpose)}`;
}

/** Returns the text of a token that was signed with this key for this purpose; undefined for any other token. */
export function openText(key: Uint8Array, token: string, purpose: string = ""): string | undefined {
  const dot = token.indexOf(".");
  const encoded = token.slice(0, dot);
  // Compares the encoded signatures, so that each token has only one valid spelling.
  const actual = Buffer.from(token.slice(dot + 1));
  const expected = Buffer.from(sealOf(key, encoded, purpose));
  const isSealed = dot !== -1 && actual.byteLength === expected.byteLength && timingSafeEqual(actual, expected);
  return isSealed ? Buffer.from(encoded, "base64url").toString() : undefined;
}

function sealOf(key: Uint8Array, encoded: string, purpose: string): string {
  return createHmac("sha256", key).update(`${purpose}${encoded}`).digest("base64url");
}
