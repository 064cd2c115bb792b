import type { Account, Claims } from "../../accounts.ts";
import type { GoogleCloudIdentitytoolkitV1UserInfo } from "../rest/generated/identitytoolkit.ts";
import type { Given } from "../rest/given.ts";

/** An account as Identity Platform tells of it. Its claims are JSON, when it was made is milliseconds and since when it counts seconds. */
export type IdentityUser = Given<GoogleCloudIdentitytoolkitV1UserInfo, "localId">;

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
