import { createHmac, timingSafeEqual } from "node:crypto";

/** Signs a text as a token: `<text>.<HMAC-SHA-256>`, both in base64url. Its holder can read but not alter it. */
export function sealText(key: Uint8Array, text: string): string {
  const encoded = Buffer.from(text).toString("base64url");
  return `${encoded}.${sealOf(key, encoded)}`;
}

/** Returns the text of a token that was signed with this key; undefined for any other token. */
export function openText(key: Uint8Array, token: string): string | undefined {
  const dot = token.indexOf(".");
  const encoded = token.slice(0, dot);
  if (dot === -1 || !isSame(token.slice(dot + 1), sealOf(key, encoded))) return undefined;
  return Buffer.from(encoded, "base64url").toString();
}

function sealOf(key: Uint8Array, encoded: string): string {
  return createHmac("sha256", key).update(encoded).digest("base64url");
}

/** Compares the encoded signatures, so that each token has one spelling. */
function isSame(actual: string, expected: string): boolean {
  const [left, right] = [Buffer.from(actual), Buffer.from(expected)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
