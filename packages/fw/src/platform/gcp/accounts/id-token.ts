import { signInTokenSeconds } from "../../../lib/limits.ts";
import type { KeySet } from "../rest/key-set.ts";
import { publishedKeys, type KeySource } from "../rest/key-set.ts";
import { verifyToken } from "../rest/verify-token.ts";

/** What an ID token of Identity Platform says. */
export interface SignedIn {
  /** The account's id. */
  readonly sub: string;
  /** `social`, `email`, or the provider's own name for what no application can declare. */
  readonly provider: string;
  /** When the person signed in: seconds since 1970. */
  readonly signedIn: number;
}

/** The ID tokens of a project. */
export interface IdTokens {
  read(token: string): Promise<SignedIn | { readonly refused: string }>;
}

/** The providers by what Identity Platform calls them. */
const providers: ReadonlyMap<string, string> = new Map([
  ["google.com", "social"],
  ["password", "email"],
]);

/** The keys with which Identity Platform signs ID tokens. */
export function identityKeys(source: KeySource): KeySet {
  return publishedKeys(
    "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    source,
  );
}

/**
 * The tokens that Identity Platform made for a project when somebody signed in, just now: one that was kept since another time, or that
 * somebody found, opens nothing.
 */
export function idTokens(project: string, keys: KeySet, now: () => number): IdTokens {
  const expected = { audience: project, issuers: [`https://securetoken.google.com/${project}`], keys };
  return {
    async read(token) {
      const claims = await verifyToken(token, { ...expected, now: now() });
      if ("refused" in claims) return claims as { readonly refused: string };
      const { sub, auth_time: signedIn, firebase } = claims;
      if (typeof signedIn !== "number") return { refused: "it does not say when somebody signed in" };
      if (signedIn + signInTokenSeconds < now() / 1000) return { refused: "it is of a sign-in too long ago" };
      const { sign_in_provider: provider, tenant } = (firebase ?? {}) as FirebaseClaims;
      if (typeof provider !== "string") return { refused: "it does not say who vouches for it" };
      if (tenant !== undefined) return { refused: "it is of a tenant" };
      return { sub, signedIn, provider: providers.get(provider) ?? provider };
    },
  };
}

interface FirebaseClaims {
  readonly sign_in_provider?: unknown;
  readonly tenant?: unknown;
}
