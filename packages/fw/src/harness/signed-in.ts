import type { RoleDeclaration } from "../declare/role.ts";

/** The user to sign in. */
export interface SignInAs {
  /** The user's email address. If an account has it, the user signs in to that account. */
  readonly email: string;
  /** The name of a new account; "" by default. */
  readonly name?: string;
  /** The new roles of the account. If omitted, the account keeps its roles. */
  readonly roles?: readonly RoleDeclaration[];
  /** The provider of the session. By default the declared one, or `social` if both are declared. */
  readonly provider?: "social" | "email";
  /** Whether the address of a new account counts as verified. True by default, and always for `social`. */
  readonly emailVerified?: boolean;
  /** The account's id. By default, the id of the account with this email address, or else a new id. */
  readonly id?: string;
}

/** A signed-in user. */
export interface SignedIn {
  /** The id of the account. */
  readonly id: string;
  readonly email: string;
  /** "" if the account has no name. */
  readonly name: string;
  /** The names of the roles at sign-in, sorted. */
  readonly roles: readonly string[];
  /** Returns the Cookie header of the session. */
  cookie(): Promise<string>;
}
