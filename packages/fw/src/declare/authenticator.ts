import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { RoleDeclaration } from "./role.ts";

/** Who an authenticator says that somebody is: a User of `auth.users`, or what is known of somebody who has no account here. */
export interface Authenticated {
  /** Theirs alone, also among the accounts of this application where it has some: `partner:acme`. */
  readonly id: string;
  /** Their address; "" where it is not known. */
  readonly email?: string;
  /** What they are called; "" where that is not known. */
  readonly name?: string;
  /** Whether somebody vouches for the address. */
  readonly emailVerified?: boolean;
  /** The roles that they have, or names of some. */
  readonly roles?: readonly (RoleDeclaration | string)[];
}

/** `(ctx, credentials) => who that is`; undefined for credentials of nobody. */
export type AuthenticatorHandler<Credentials> = (
  ctx: Context,
  credentials: Credentials,
) => Authenticated | undefined | Promise<Authenticated | undefined>;

/** What `Authenticator` makes. */
export interface AuthenticatorDeclaration<in Credentials = never> {
  /** Tells it from other declarations. */
  readonly kind: "authenticator";
  /** @internal */
  readonly handler: AuthenticatorHandler<Credentials>;
}

/**
 * Declares how credentials that are not this application's say who sends a request: `Authenticator((ctx, { key }: { key:
 * Header<string, "X-Api-Key"> }) => partnerOf(key))`. Who they are counts in every service, as a session's user does.
 */
export function Authenticator<Credentials>(
  handler: AuthenticatorHandler<Credentials>,
): AuthenticatorDeclaration<Credentials> {
  return declared({ kind: "authenticator", handler } as const);
}
