import { type KeySet, publishedKeys, type KeySource } from "../rest/key-set.ts";
import { verifyToken } from "../rest/verify-token.ts";

/** Limit: seconds after a sign-in at the identity provider during which its ID token can start a session. */
const signInTokenSeconds = 300;

/** The verified content of an Identity Platform ID token. */
export interface VerifiedSignIn {
  /** The account's id. */
  readonly sub: string;
  /** `social`, `email`, or the provider's own name if `Auth` cannot enable it. */
  readonly provider: string;
  /** The time of the sign-in, in seconds since 1970. */
  readonly signedIn: number;
}

export interface IdTokens {
  read(token: string): Promise<VerifiedSignIn | { readonly refused: string }>;
}

/** Maps Identity Platform's provider ids to fw's names. */
const providers: ReadonlyMap<string, string> = new Map([
  ["google.com", "social"],
  ["password", "email"],
]);

export function identityKeys(source: KeySource): KeySet {
  return publishedKeys(
    "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    source,
  );
}

/** Reads ID tokens issued for recent sign-ins to a project. Rejects older ones, so a stolen token is soon useless. */
export function idTokens(project: string, keys: KeySet, now: () => number): IdTokens {
  const expected = { audience: project, issuers: [`https://securetoken.google.com/${project}`], keys };
  return {
    async read(token) {
      const claims = await verifyToken(token, { ...expected, now: now() });
      if ("refused" in claims) return claims as { readonly refused: string };
      const { sub, auth_time: signedIn, firebase } = claims;
      if (typeof signedIn !== "number") return { refused: "it has no sign-in time" };
      if (signedIn + signInTokenSeconds < now() / 1000) return { refused: "its sign-in is too long ago" };
      const { sign_in_provider: provider, tenant } = (firebase ?? {}) as FirebaseClaims;
      if (typeof provider !== "string") return { refused: "it has no sign-in provider" };
      if (tenant !== undefined) return { refused: "it belongs to a tenant" };
      return { sub, signedIn, provider: providers.get(provider) ?? provider };
    },
  };
}

interface FirebaseClaims {
  readonly sign_in_provider?: unknown;
  readonly tenant?: unknown;
}
