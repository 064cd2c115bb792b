import { createHmac, timingSafeEqual } from "node:crypto";

/** A text as a token: `<text>.<its HMAC-SHA-256>`, both in base64url. Who holds it can read it and cannot alter it. */
export function sealText(key: Uint8Array, text: string): string {
  const encoded = Buffer.from(text).toString("base64url");
  return `${encoded}.${sealOf(key, encoded)}`;
}

/** The text of a token that was sealed with this key; undefined for any other token. */
export function openText(key: Uint8Array, token: string): string | undefined {
  const dot = token.indexOf(".");
  const encoded = token.slice(0, dot);
  if (dot === -1 || !isSame(token.slice(dot + 1), sealOf(key, encoded))) return undefined;
  return Buffer.from(encoded, "base64url").toString();
}

function sealOf(key: Uint8Array, encoded: string): string {
  return createHmac("sha256", key).update(encoded).digest("base64url");
}

/** Compares the texts, not what they encode: each token has one spelling. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
