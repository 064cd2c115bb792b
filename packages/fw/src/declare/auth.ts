import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { eventSource, type EventSource } from "./event.ts";
import { hosted } from "./slot.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import { tokens, type Tokens } from "./token.ts";
import type { User } from "./user.ts";

/** The providers that sessions may come from; at least one is true. */
export interface AuthConfig {
  /** The social provider. */
  readonly social?: boolean;
  /** An address and a password, the provider `email`. */
  readonly password?: boolean;
  /** Access tokens, beside sessions: `Authorization: Bearer`. */
  readonly tokens?: boolean;
}

/** `unknown` where a provider may be declared, and nothing beside providers. */
type AuthRules<Config> = true extends SettingOf<Config, "social"> | SettingOf<Config, "password">
  ? { readonly [Name in Exclude<keyof Config, keyof AuthConfig>]: never }
  : Refused<"fw/auth-provider: sessions come from a provider: write social: true, password: true, or both">;

type SettingOf<Config, Name extends string> = Config extends Readonly<Record<Name, infer Value>> ? Value : never;

/** The tokens of an Auth that declares them. */
type TokensOf<Config> =
  true extends SettingOf<Config, "tokens"> ? Tokens : Refused<"this Auth has no access tokens: write tokens: true">;

/** What `Auth` makes: the accounts, and what happens to them. */
export interface AuthDeclaration<AccessTokens = unknown> {
  readonly kind: "auth";
  /** @internal */
  readonly config: AuthConfig;
  /** The accounts. */
  readonly users: Users;
  /** Access tokens, where `tokens: true` declares them. */
  readonly tokens: AccessTokens;
  /** An account was made by `users.create`. */
  readonly registered: EventSource<User>;
  /** A session was made for somebody never seen before. */
  readonly firstSignIn: EventSource<User>;
}

/** What an account is made of. One address is one account. */
export interface NewUser {
  /** Their address, which signs them in. */
  readonly email: string;
  /** What they are called; "" by default. */
  readonly name?: string;
  /** Usually absent: an account that signs in with the social provider has none. */
  readonly password?: string;
}

/** A page of accounts. */
export interface UserPage {
  /** In the order of the listing. */
  readonly users: User[];
  /** The cursor of the following page; absent on the last. */
  readonly next?: string;
}

/** A listing of accounts, not yet read. */
export interface UserList {
  /** So many a page, 1 to 1,000; 20 by default. */
  limit(count: number): UserList;
  /** Reads a page. Without a cursor, or with an empty one, the first. */
  page(cursor?: string): Promise<UserPage>;
}

/** Account management. An unknown account is NotFound. */
export interface Users {
  /** Makes an account, whose `registered` event follows. Fails where `isEmailTaken(error)` when the address has one. */
  create(ctx: Context, user: NewUser): Promise<User>;
  /** The account with this id. */
  get(ctx: Context, id: string): Promise<User>;
  /** The account of this address, however its letters are written. */
  byEmail(ctx: Context, email: string): Promise<User>;
  /** All accounts, a page at a time. */
  list(ctx: Context): UserList;
  /** Adds a role. Sessions of the account have it on their next request. */
  grant(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
  /** Removes a role. Sessions of the account lose it on their next request. */
  revoke(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
  /** Refuses sign-in and ends the account's sessions; keeps the record. */
  disable(ctx: Context, id: string): Promise<void>;
  /** Allows sign-in again. */
  enable(ctx: Context, id: string): Promise<void>;
  /** Removes the account for good and ends its sessions. */
  delete(ctx: Context, id: string): Promise<void>;
}

/** Declares who may sign in: `export const auth = Auth({ social: true, password: true })`. */
export function Auth<const Config extends AuthConfig>(
  config: Config & AuthRules<Config>,
): AuthDeclaration<TokensOf<Config>> {
  return declared({
    kind: "auth",
    config,
    users,
    tokens: tokens as TokensOf<Config>,
    registered: eventSource<User>("auth.registered"),
    firstSignIn: eventSource<User>("auth.first-sign-in"),
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

/** What account management asks of the runtime. */
export interface UserOperations extends Omit<Users, "list"> {
  /** "" is the first page's cursor. */
  page(ctx: Context, limit: number, cursor: string): Promise<UserPage>;
}

/** What it asks of the runtime, as part of the Host. */
export interface UserHost {
  readonly users: UserOperations;
}

function operations(ctx: Context): UserOperations {
  return hosted<UserHost>(ctx).users;
}
