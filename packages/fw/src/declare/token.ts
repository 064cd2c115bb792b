import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { RoleDeclaration } from "./role.ts";
import { hosted } from "./slot.ts";
import type { User } from "./user.ts";

/** Whose token it is. */
type Owner = Pick<User, "id" | "provider">;

/** What an access token is made of. */
export interface NewToken {
  /** What its owner knows it by, 1 to 100 characters. */
  readonly name: string;
  /** How long it works: `"90d"`, or until it is revoked. */
  readonly expires: Duration | "never";
  /** The roles that it carries as long as its owner has them; all of its owner's by default. */
  readonly roles?: readonly RoleDeclaration[];
}

/** An access token as its owner sees it in a list. */
export interface AccessToken {
  /** What it is revoked by. */
  readonly id: string;
  readonly name: string;
  readonly created: Date;
  /** When it ends by itself; absent where it does not. */
  readonly expires?: Date;
  /** The names of the roles that it carries at most; absent where it carries all of its owner's. */
  readonly roles?: string[];
}

/** An access token that was just made, with what is sent as `Authorization: Bearer <secret>`. It is shown this once. */
export interface CreatedToken extends AccessToken {
  readonly secret: string;
}

/** Access tokens. */
export interface Tokens {
  /** Makes a token for an account. One that is made with a token carries no role which that one does not. An unknown or disabled account is NotFound. */
  create(ctx: Context, user: Owner, token: NewToken): Promise<CreatedToken>;
  /** The live tokens of an account, the newest first. */
  list(ctx: Context, user: Owner): Promise<AccessToken[]>;
  /** Ends a token of the account, at once. One that is not there, or somebody else's, is NotFound. */
  revoke(ctx: Context, user: Owner, id: string): Promise<void>;
}

/** What tokens ask of the runtime, as part of the Host. */
export interface TokenHost {
  readonly tokens: Tokens;
}

/** The tokens of an Auth that declares them. */
export const tokens: Tokens = Object.freeze({
  create: (ctx, user, token) => hosted<TokenHost>(ctx).tokens.create(ctx, user, token),
  list: (ctx, user) => hosted<TokenHost>(ctx).tokens.list(ctx, user),
  revoke: (ctx, user, id) => hosted<TokenHost>(ctx).tokens.revoke(ctx, user, id),
} satisfies Tokens);
