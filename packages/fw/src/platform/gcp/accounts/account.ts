import type { Account, Claims } from "../../accounts.ts";
import type { GoogleCloudIdentitytoolkitV1UserInfo } from "../rest/generated/identitytoolkit.ts";
import type { WithFields } from "../rest/with-fields.ts";

/**
 * An account as Identity Platform returns it. `customAttributes` is JSON, `createdAt` is in milliseconds, `validSince`
 * in seconds.
 */
export type IdentityUser = WithFields<GoogleCloudIdentitytoolkitV1UserInfo, "localId">;

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

/** Claims that other tools wrote may not be an object; they count as none. */
function claimsOf({ customAttributes = "" }: IdentityUser): Claims {
  const claims: unknown = customAttributes === "" ? {} : JSON.parse(customAttributes);
  return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as Claims) : {};
}
