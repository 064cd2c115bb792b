import type { Grant } from "../objects.ts";
import { openText, sealText } from "../../lib/sealed-text.ts";

/** Returns the path of a signed URL; the grant is in its token. */
export function signedURL(key: Uint8Array, grant: Grant): string {
  const { method, bucket, key: object, expires, maxSize = null, contentType = null } = grant;
  const token = sealText(key, JSON.stringify([method, bucket, object, expires.getTime(), maxSize, contentType]));
  return `/_fw/api/signed/${token}`;
}

/** Returns the grant of a token that was signed with this key; undefined for any other text. */
export function openGrant(key: Uint8Array, token: string): Grant | undefined {
  const text = openText(key, token);
  if (text === undefined) return undefined;
  const [method, bucket, object, expires, maxSize, contentType] = JSON.parse(text) as [
    Grant["method"],
    string,
    string,
    number,
    number | null,
    string | null,
  ];
  return {
    method,
    bucket,
    key: object,
    expires: new Date(expires),
    ...(maxSize !== null && { maxSize }),
    ...(contentType !== null && { contentType }),
  };
}
