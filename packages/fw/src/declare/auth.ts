import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import { tokens, type Tokens } from "./token.ts";
import type { User } from "./user.ts";

/** Settings of authentication, written as a literal. At least one of `social` and `password` must be true. */
export interface AuthConfig {
  /** Sign-in with the social provider. */
  readonly social?: boolean;
  /** Sign-in with an email address and a password; sessions have the provider `email`. */
  readonly password?: boolean;
  /** Access tokens in addition to sessions, sent as `Authorization: Bearer <secret>`. */
  readonly tokens?: boolean;
  /**
   * Pages where users manage their own accounts: passwords, a second factor, sessions and access tokens. Needs
   * `password: true`, and a `Subscribe` to `auth.mail` that sends the mails.
   */
  readonly account?: boolean;
  /** A page where users create accounts. Needs `account: true`. */
  readonly signUp?: boolean;
  /** The path of a stylesheet for the sign-in and account pages, such as `"/account.css"`. */
  readonly style?: `/${string}`;
}

/** Requires a config to enable a provider, and forbids unknown keys. Without a provider, the type states the rule. */
type AuthRules<Config> = true extends SettingOf<Config, "social"> | SettingOf<Config, "password">
  ? { readonly [Name in Exclude<keyof Config, keyof AuthConfig>]: never }
  : Refused<"fw/auth-provider: Auth needs a sign-in provider: write social: true, password: true, or both">;

type SettingOf<Config, Name extends string> = Config extends Readonly<Record<Name, infer Value>> ? Value : never;

/** The type of `auth.tokens`, usable only with `tokens: true`. */
type TokensOf<Config> =
  true extends SettingOf<Config, "tokens"> ? Tokens : Refused<"this Auth has no access tokens: write tokens: true">;

/** The type of `auth.mail`, usable only with `account: true`. */
type MailOf<Config> =
  true extends SettingOf<Config, "account">
    ? EventSource<AccountMail>
    : Refused<"this Auth sends no mails: write account: true">;

/** An account mail, for a subscriber to send. */
export interface AccountMail {
  /**
   * The reason for the mail: a sign-up, a sign-up with the address of an existing account, a forgotten password, an
   * address to verify, or a changed password or second factor.
   */
  readonly purpose: "sign-up" | "existing-account" | "reset" | "verify" | "password-changed" | "second-factor-changed";
  /** The recipient's address. */
  readonly to: string;
  /** The name of the user; "" if unknown. */
  readonly name: string;
  /** The path of the page to link to. Prefix it with your own origin, never with one taken from a request. */
  readonly path: string;
  /** The expiry time of the link; absent if its path contains no secret. */
  readonly expires?: Date;
}

/** The result of `Auth`: account management and account events. */
export interface AuthDeclaration<AccessTokens = unknown, Mail = unknown> {
  readonly kind: "auth";
  /** @internal */
  readonly config: AuthConfig;
  /** Account management. */
  readonly users: Users;
  /** Access tokens; needs `tokens: true`. */
  readonly tokens: AccessTokens;
  /**
   * Emitted when an account has been created: by `users.create`, on the sign-up page, or by a first sign-in with the
   * social provider.
   */
  readonly registered: EventSource<User>;
  /** Emitted at a user's first sign-in. */
  readonly firstSignIn: EventSource<User>;
  /** Emitted for each account mail to send; needs `account: true`. */
  readonly mail: Mail;
}

/** A new account. Each email address has at most one account. */
export interface NewUser {
  /** The email address to sign in with. */
  readonly email: string;
  /** The display name; "" by default. */
  readonly name?: string;
  /** The password; omit it for accounts that sign in with the social provider. */
  readonly password?: string;
}

/** A page of accounts. */
export interface UserPage {
  /** At most `limit` accounts, in a stable order. */
  readonly users: User[];
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** A list of accounts, read page by page. */
export interface UserList {
  /** Sets the page size, 1 to 1,000; 20 by default. */
  limit(count: number): UserList;
  /** Reads the page at `cursor`; the first page if it is omitted or empty. */
  page(cursor?: string): Promise<UserPage>;
}

/** Manages accounts. An unknown account throws `NotFound` (404). */
export interface Users {
  /**
   * Creates an account and emits `registered`. Throws a 409, recognized by `isEmailTaken(error)`, if the email address
   * already has an account.
   */
  create(ctx: Context, user: NewUser): Promise<User>;
  /** Reads an account by id. */
  get(ctx: Context, id: string): Promise<User>;
  /** Reads an account by email address, ignoring case. */
  byEmail(ctx: Context, email: string): Promise<User>;
  /** Lists all accounts. */
  list(ctx: Context): UserList;
  /** Adds a role. It takes effect at the next request of each of the account's sessions and access tokens. */
  grant(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
  /** Removes a role. This takes effect at the next request of each of the account's sessions and access tokens. */
  revoke(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
  /** Blocks sign-in, ends the account's sessions and revokes its access tokens, but preserves the account. */
  disable(ctx: Context, id: string): Promise<void>;
  /** Allows sign-in again after `disable`. */
  enable(ctx: Context, id: string): Promise<void>;
  /** Deletes the account permanently, with its sessions and access tokens. */
  delete(ctx: Context, id: string): Promise<void>;
}

/** Declares how users sign in: `export const auth = Auth({ social: true, password: true })`. */
export function Auth<const Config extends AuthConfig>(
  config: Config & AuthRules<Config>,
): AuthDeclaration<TokensOf<Config>, MailOf<Config>> {
  return recordDeclaration({
    kind: "auth",
    config,
    users,
    tokens: tokens as TokensOf<Config>,
    registered: eventSource<User>("auth.registered"),
    firstSignIn: eventSource<User>("auth.first-sign-in"),
    mail: eventSource<AccountMail>("auth.mail") as MailOf<Config>,
  } as const);
}

const users: Users = Object.freeze({
  create: (ctx, user) => operations(ctx).create(ctx, user),
  get: (ctx, id) => operations(ctx).get(ctx, id),
  byEmail: (ctx, email) => operations(ctx).byEmail(ctx, email),
  list: (ctx) => userList(ctx, defaultLimit),
  grant: (ctx, id, role) => operations(ctx).grant(ctx, id, role),
  revoke: (ctx, id, role) => operations(ctx).revoke(ctx, id, role),
  disable: (ctx, id) => operations(ctx).disable(ctx, id),
  enable: (ctx, id) => operations(ctx).enable(ctx, id),
  delete: (ctx, id) => operations(ctx).delete(ctx, id),
} satisfies Users);

const defaultLimit = 20;

function userList(ctx: Context, limit: number): UserList {
  return {
    limit: (count) => userList(ctx, count),
    page: (cursor = "") => operations(ctx).page(ctx, limit, cursor),
  };
}

/** Account management, as the runtime implements it. */
export interface UserOperations extends Omit<Users, "list"> {
  /** Reads a page; an empty cursor reads the first one. */
  page(ctx: Context, limit: number, cursor: string): Promise<UserPage>;
}

/** The part of the Host that manages accounts. */
export interface UserHost {
  readonly users: UserOperations;
}

function operations(ctx: Context): UserOperations {
  return hosted<UserHost>(ctx).users;
}
