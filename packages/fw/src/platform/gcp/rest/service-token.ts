import { type KeySet, publishedKeys, type KeySource } from "./key-set.ts";
import { readClaims, verifyToken, type Claims } from "./verify-token.ts";

/** Verifies the identity tokens of callers of a Cloud Run service. */
export interface ServiceTokens {
  /** Returns the claims of a token that Google issued for this audience, or why it is invalid. */
  read(token: string): Promise<Claims | { readonly refused: string }>;
}

interface Audience {
  readonly audience: string;
  readonly keys: KeySet;
  /** Whether Cloud Run verifies the callers' tokens itself. */
  readonly isVerifiedBefore: () => Promise<boolean>;
  readonly now: () => number;
}

const issuers = ["https://accounts.google.com", "accounts.google.com"];

/** Cloud Run's placeholder for a signature that it has verified. */
const removedSignature = "SIGNATURE_REMOVED_BY_GOOGLE";

/** Returns Google's public keys for the ID tokens of service accounts. */
export function googleKeys(source: KeySource): KeySet {
  return publishedKeys("https://www.googleapis.com/oauth2/v3/certs", source);
}

export function serviceTokens({ audience, keys, isVerifiedBefore, now }: Audience): ServiceTokens {
  return {
    async read(token) {
      const expected = { audience, issuers, keys, now: now() };
      const [, body = "", signature] = token.split(".");
      if (signature !== removedSignature) return verifyToken(token, expected);
      if (!(await isVerifiedBefore()))
        return {
          refused: "its signature was removed, but Cloud Run does not verify this service's callers",
        };
      return readClaims(Buffer.from(body, "base64url"), expected);
    },
  };
}
