import type { RoleDeclaration } from "./role.ts";

/** A signed-in user, or an account. */
export interface User {
  /** The account's opaque id, never reused. */
  readonly id: string;
  /** The email address. */
  readonly email: string;
  /** The display name; "" if none is known. */
  readonly name: string;
  /**
   * The provider of the session, or the provider that the account signs in with; `other` if an Authenticator identified
   * the user.
   */
  readonly provider: "social" | "email" | "other";
  /** True if the provider has verified the email address; always true for the social provider. */
  readonly emailVerified: boolean;
  /** The names of the user's roles, sorted. */
  readonly roles: readonly string[];
  /** True if the user has the role. */
  hasRole(role: RoleDeclaration): boolean;
}
