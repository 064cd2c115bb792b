import type { RoleDeclaration } from "../declare/role.ts";

/** The user to sign in. */
export interface SignInAs {
  /** The user's address; signs in to an existing account with this address. */
  readonly email: string;
  /** The name of a new account; "" by default. */
  readonly name?: string;
  /** Replaces the roles of the account; keeps them by default. */
  readonly roles?: readonly RoleDeclaration[];
  /** The provider of the session; the declared one by default, `social` if both are. */
  readonly provider?: "social" | "email";
  /** The provider's claim about the address; true by default, and always for `social`. */
  readonly emailVerified?: boolean;
  /** The id of the account, if it matters. */
  readonly id?: string;
}

/** A signed-in user. */
export interface SignedIn {
  /** The id of the account. */
  readonly id: string;
  readonly email: string;
  /** "" if the account has no name. */
  readonly name: string;
  /** The names of the roles at the sign-in, sorted. */
  readonly roles: readonly string[];
  /** Returns the Cookie header of the session. */
  cookie(): Promise<string>;
}
