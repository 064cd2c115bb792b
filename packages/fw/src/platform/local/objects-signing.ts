import { createHmac, timingSafeEqual } from "node:crypto";
import type { Grant } from "../objects.ts";

/** A grant as the token of a URL: `<grant>.<its HMAC>`. Who holds it can read it and cannot alter it. */
export function sealGrant(key: Uint8Array, grant: Grant): string {
  const { method, bucket, key: object, expires, maxSize = null, contentType = null } = grant;
  const text = JSON.stringify([method, bucket, object, expires.getTime(), maxSize, contentType]);
  const encoded = Buffer.from(text).toString("base64url");
  return `${encoded}.${sealOf(key, encoded)}`;
}

/** The grant of a token that was sealed with this key; undefined for any other text. */
export function openGrant(key: Uint8Array, token: string): Grant | undefined {
  const dot = token.indexOf(".");
  const encoded = token.slice(0, dot);
  if (dot === -1 || !isSame(token.slice(dot + 1), sealOf(key, encoded))) return undefined;
  const [method, bucket, object, expires, maxSize, contentType] = JSON.parse(
    Buffer.from(encoded, "base64url").toString(),
  ) as [Grant["method"], string, string, number, number | null, string | null];
  return {
    method,
    bucket,
    key: object,
    expires: new Date(expires),
    ...(maxSize !== null && { maxSize }),
    ...(contentType !== null && { contentType }),
  };
}

function sealOf(key: Uint8Array, encoded: string): string {
  return createHmac("sha256", key).update(encoded).digest("base64url");
}

/** Compares the texts, not what they encode: each token has one spelling. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
