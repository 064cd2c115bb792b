import type { RoleDeclaration } from "../declare/role.ts";

/** Who signs in. */
export interface SignInAs {
  readonly email: string;
  readonly name?: string;
  /** The roles of the account from now on; those that it has, or none, by default. */
  readonly roles?: readonly RoleDeclaration[];
  /** The provider that the session comes from; by default the one that is declared, `social` of both. */
  readonly provider?: "social" | "email";
  readonly emailVerified?: boolean;
  /** The account's, where it is there already or its id matters. */
  readonly id?: string;
}

/** Somebody who is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Names of the roles that the session was minted with, sorted. */
  readonly roles: readonly string[];
  /** The Cookie header of their session. */
  cookie(): Promise<string>;
}
