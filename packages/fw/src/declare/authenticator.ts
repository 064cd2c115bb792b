import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { RoleDeclaration } from "./role.ts";

/**
 * The identity that an authenticator returns: a User from `auth.users`, or a user without an account in this
 * application.
 */
export interface Authenticated {
  /** A unique id. Without an account, it must differ from every account's id, as in `partner:acme`. */
  readonly id: string;
  /** The email address; absent or "" if unknown. */
  readonly email?: string;
  /** The display name; absent or "" if unknown. */
  readonly name?: string;
  /** True if the issuer has verified the email address. */
  readonly emailVerified?: boolean;
  /** Roles of the identity, as declarations or names. */
  readonly roles?: readonly (RoleDeclaration | string)[];
}

/** `(ctx, credentials) => identity`. Returns undefined if the credentials are not valid. */
export type AuthenticatorHandler<Credentials> = (
  ctx: Context,
  credentials: Credentials,
) => Authenticated | undefined | Promise<Authenticated | undefined>;

/** The result of `Authenticator`. */
export interface AuthenticatorDeclaration<in Credentials = never> {
  /** The kind of declaration. */
  readonly kind: "authenticator";
  /** @internal */
  readonly handler: AuthenticatorHandler<Credentials>;
}

/**
 * Declares how to identify users by credentials from another system: `Authenticator((ctx, { key }: { key:
 * Header<string, "X-Api-Key"> }) => partnerOf(key))`. Like a session's user, the identity applies in every service.
 */
export function Authenticator<Credentials>(
  handler: AuthenticatorHandler<Credentials>,
): AuthenticatorDeclaration<Credentials> {
  return recordDeclaration({ kind: "authenticator", handler } as const);
}
