import type { KeySet } from "./key-set.ts";
import { publishedKeys, type KeySource } from "./key-set.ts";
import { readClaims, verifyToken, type Claims } from "./verify-token.ts";

/** What an identity of the project shows a service of Cloud Run to say who it is. */
export interface ServiceTokens {
  /** What the token says, once it is known to be Google's and made for this audience; else why not. */
  read(token: string): Promise<Claims | { readonly refused: string }>;
}

interface Audience {
  /** The URL of the service that is asked. */
  readonly audience: string;
  readonly keys: KeySet;
  /** Whether Cloud Run is known to verify the tokens of callers itself. */
  readonly isVerifiedBefore: () => Promise<boolean>;
  readonly now: () => number;
}

const issuers = ["https://accounts.google.com", "accounts.google.com"];

/** What Cloud Run leaves of a signature that it has verified. */
const removed = "SIGNATURE_REMOVED_BY_GOOGLE";

/** The keys with which Google signs tokens of service accounts. */
export function googleKeys(source: KeySource): KeySet {
  return publishedKeys("https://www.googleapis.com/oauth2/v3/certs", source);
}

export function serviceTokens({ audience, keys, isVerifiedBefore, now }: Audience): ServiceTokens {
  return {
    async read(token) {
      const expected = { audience, issuers, keys, now: now() };
      const [, body = "", signature] = token.split(".");
      if (signature !== removed) return verifyToken(token, expected);
      if (!(await isVerifiedBefore()))
        return {
          refused: "its signature was removed, and Cloud Run is not known to verify the callers of this service",
        };
      return readClaims(Buffer.from(body, "base64url"), expected);
    },
  };
}
