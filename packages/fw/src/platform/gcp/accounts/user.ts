import type { Account, Claims } from "../../accounts.ts";

/** An account as Identity Platform tells of it, as far as it is read. */
export interface IdentityUser {
  readonly localId: string;
  readonly email?: string;
  readonly displayName?: string;
  readonly emailVerified?: boolean;
  readonly disabled?: boolean;
  readonly providerUserInfo?: readonly { readonly providerId?: string }[];
  /** JSON. */
  readonly customAttributes?: string;
  /** Milliseconds since 1970. */
  readonly createdAt?: string;
  /** Seconds since 1970: who signed in before does so again. */
  readonly validSince?: string;
}

export function accountOf(user: IdentityUser): Account {
  const { localId, email = "", displayName = "", emailVerified = false, disabled = false } = user;
  const hasPassword = user.providerUserInfo?.some(({ providerId }) => providerId === "password") ?? false;
  return {
    id: localId,
    email,
    name: displayName,
    emailVerified,
    disabled,
    hasPassword,
    claims: claimsOf(user),
    created: new Date(Number(user.createdAt ?? 0)),
  };
}

/** Whoever wrote them there: what is no object holds no claims. */
function claimsOf({ customAttributes = "" }: IdentityUser): Claims {
  const claims: unknown = customAttributes === "" ? {} : JSON.parse(customAttributes);
  return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as Claims) : {};
}
