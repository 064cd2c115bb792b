import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { RoleDeclaration } from "./role.ts";
import { hosted } from "./slot.ts";
import type { User } from "./user.ts";

/** The account that owns the token. */
type Owner = Pick<User, "id" | "provider">;

/** Options for a new access token. */
export interface NewToken {
  /** A label for the owner, 1 to 100 characters. */
  readonly name: string;
  /** The lifetime, such as `"90d"`, or `"never"` for a token that stays valid until revoked. */
  readonly expires: Duration | "never";
  /** The token's roles; by default, all roles of its owner. A role applies only while the owner has it. */
  readonly roles?: readonly RoleDeclaration[];
}

/** An access token without its secret. */
export interface AccessToken {
  /** The id to revoke it by. */
  readonly id: string;
  readonly name: string;
  readonly created: Date;
  /** The expiry time; absent if it does not expire. */
  readonly expires?: Date;
  /** The names of the token's roles; absent if it has all of its owner's roles. */
  readonly roles?: string[];
}

/** A new access token with its secret, sent as `Authorization: Bearer <secret>`. The secret cannot be read again. */
export interface CreatedToken extends AccessToken {
  readonly secret: string;
}

/** Manages access tokens. */
export interface Tokens {
  /**
   * Creates a token for an account. If a token authenticates the request, the new one has only roles of that token and
   * expires no later. Throws `NotFound` for an unknown or disabled account.
   */
  create(ctx: Context, user: Owner, token: NewToken): Promise<CreatedToken>;
  /** Lists an account's valid tokens, newest first. */
  list(ctx: Context, user: Owner): Promise<AccessToken[]>;
  /** Revokes a token of the account immediately. Throws `NotFound` if the account has no such token. */
  revoke(ctx: Context, user: Owner, id: string): Promise<void>;
}

/** The part of the Host that manages access tokens. */
export interface TokenHost {
  readonly tokens: Tokens;
}

/** The tokens of an Auth with `tokens: true`. */
export const tokens: Tokens = Object.freeze({
  create: (ctx, user, token) => hosted<TokenHost>(ctx).tokens.create(ctx, user, token),
  list: (ctx, user) => hosted<TokenHost>(ctx).tokens.list(ctx, user),
  revoke: (ctx, user, id) => hosted<TokenHost>(ctx).tokens.revoke(ctx, user, id),
} satisfies Tokens);
