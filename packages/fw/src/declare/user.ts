import type { RoleDeclaration } from "./role.ts";

/** Somebody who is signed in, or has an account. */
export interface User {
  /** Of the account: opaque, and never another one's. */
  readonly id: string;
  /** Their address. */
  readonly email: string;
  /** "" where none was given. */
  readonly name: string;
  /**
   * Which declared provider minted the session; of an account that was not signed in to, the one it would use; `other` where an
   * Authenticator knows them.
   */
  readonly provider: "social" | "email" | "other";
  /**
   * The provider's claim about the address. The social provider guarantees it, the email provider only what the
   * project requires.
   */
  readonly emailVerified: boolean;
  /** Names of the roles that the session was minted with, sorted. */
  readonly roles: readonly string[];
  /** Whether the role is among them. */
  hasRole(role: RoleDeclaration): boolean;
}
