import type { RoleDeclaration } from "./role.ts";

/** A signed-in user, or an account. */
export interface User {
  /** The account's opaque id, never reused; without an account, the id from the Authenticator. */
  readonly id: string;
  /** The email address; "" if an Authenticator returned none. */
  readonly email: string;
  /** The display name; "" if none is known. */
  readonly name: string;
  /**
   * The provider of the session, or the provider that the account signs in with; `other` if an Authenticator identified
   * a user without an account.
   */
  readonly provider: "social" | "email" | "other";
  /**
   * True if the provider has verified the email address, or the user has followed a link that fw sent to it. Always
   * true for the social provider.
   */
  readonly emailVerified: boolean;
  /** The names of the user's roles, sorted. */
  readonly roles: readonly string[];
  /** True if the user has the role. */
  hasRole(role: RoleDeclaration): boolean;
}
