import type { RoleDeclaration } from "../declare/role.ts";

/** Who signs in. */
export interface SignInAs {
  /** Their address; an account of it that is there signs in. */
  readonly email: string;
  /** The account's where it is there already; "" by default. */
  readonly name?: string;
  /** The roles of the account from now on; those that it has, or none, by default. */
  readonly roles?: readonly RoleDeclaration[];
  /** The provider that the session comes from; by default the one that is declared, `social` of both. */
  readonly provider?: "social" | "email";
  /** The provider's claim about the address; true by default, and always of `social`. */
  readonly emailVerified?: boolean;
  /** The account's, where it matters. */
  readonly id?: string;
}

/** Somebody who is signed in. */
export interface SignedIn {
  /** The account's. */
  readonly id: string;
  /** Their address. */
  readonly email: string;
  /** "" where none was given. */
  readonly name: string;
  /** Names of the roles that they signed in with, sorted. */
  readonly roles: readonly string[];
  /** The Cookie header of their session. */
  cookie(): Promise<string>;
}
