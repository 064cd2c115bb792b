import type { NewUser, UserOperations } from "../../declare/auth.ts";
import type { Context, Logger } from "../../declare/context.ts";
import { emailTaken, Fault, NotFound, StatusError } from "../../declare/errors.ts";
import type { AccessToken, CreatedToken } from "../../declare/token.ts";
import type { User } from "../../declare/user.ts";
import { accountNameCharacters, pageDocuments, passwordBytes } from "../../lib/limits.ts";
import { isAccountName, isAddress, isPassword } from "../../platform/account-fields.ts";
import type { Account, AccountFields, AccountPage } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import { platformOf, type Application, type Wiring } from "../application.ts";
import { portsOf } from "../context-ports.ts";
import type { BundledAuth } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { Busy } from "../response/busy.ts";
import { conflicts, refusing, type Refusals } from "../response/refusing.ts";
import { usesAccounts } from "../capabilities.ts";
import { removeFactor } from "./account/factor.ts";
import { announceRegistered } from "./announce.ts";
import { registeredKind, seenKind } from "./kinds.ts";
import { changeRoles } from "./roles.ts";
import { type OpenSession, Sessions, type TokenParts } from "./sessions.ts";
import { type Identity, userOfAccount } from "./user.ts";

/** Returns the Auth of an application. Throws a Fault if it declares none. */
function authOf({ bundle }: Wiring): BundledAuth {
  if (bundle.auth === undefined) throw new Fault("this application has no accounts: declare Auth");
  return bundle.auth;
}

const purpose = "store accounts on";

/** Returns the account management of an application. Throws a Fault if it has no accounts. */
export function managedAccounts(app: Wiring & Pick<Application, "platform">): ManagedAccounts {
  const auth = authOf(app);
  return accountsOf(platformOf(app, purpose), auth);
}

/** Implements account management on the application's platform. */
export function userOperations(application: () => Application): UserOperations {
  const accounts = (): ManagedAccounts => managedAccounts(application());
  // Only reads end with the request. A change consists of several writes, which should complete even if the client
  // disconnects.
  const readOnlyAccounts = (ctx: Context): ManagedAccounts => {
    const app = application();
    const platform = platformOf(app, purpose);
    return accountsOf({ ...platform, accounts: portsOf(app, ctx, purpose).accounts }, authOf(app));
  };
  const userOf = (account: Account): User => userOfAccount(account, authOf(application()));
  return {
    create: async (ctx, user) => userOf(await accounts().create(user, ctx.log)),
    get: async (ctx, id) => userOf(await readOnlyAccounts(ctx).get(id)),
    byEmail: async (ctx, email) => userOf(await readOnlyAccounts(ctx).byEmail(email)),
    async page(ctx, limit, cursor) {
      const page = await readOnlyAccounts(ctx).page(limit, cursor);
      const users = page.accounts.map(userOf);
      return page.next === undefined ? { users } : { users, next: page.next };
    },
    grant: async (_ctx, id, role) => accounts().grant(id, role.name),
    revoke: async (_ctx, id, role) => accounts().revoke(id, role.name),
    disable: async (_ctx, id) => accounts().disable(id),
    enable: async (_ctx, id) => accounts().enable(id),
    delete: async (_ctx, id) => accounts().delete(id),
  };
}

/**
 * Account management on a platform, for both handlers and operators. Failures are StatusErrors with a message for
 * users: NotFound for an unknown account, `isEmailTaken` for an address that already has an account, 400 for an invalid
 * value.
 */
export interface ManagedAccounts {
  /** Creates an account and publishes `registered`. If publishing fails, the failure is only logged. */
  create(user: NewUser, log: Logger): Promise<Account>;
  get(id: string): Promise<Account>;
  byEmail(email: string): Promise<Account>;
  /** Lists accounts. Pass "" as the cursor of the first page. */
  page(limit: number, cursor: string): Promise<AccountPage>;
  /** Adds a role by name. Once this resolves, every session has the role from its next request on. */
  grant(id: string, role: string): Promise<void>;
  /** Removes a role by name. Once this resolves, every session lacks the role from its next request on. */
  revoke(id: string, role: string): Promise<void>;
  setRoles(id: string, roles: readonly string[]): Promise<void>;
  /** Disables the account. Once this resolves, the account has no sessions or tokens, and none can be created. */
  disable(id: string): Promise<void>;
  enable(id: string): Promise<void>;
  /**
   * Sets the account's password. Once this resolves, the account has no sessions, and no sign-in with the previous
   * password succeeds. Absent if an identity provider manages passwords.
   */
  setPassword?(id: string, password: string): Promise<void>;
  /** Turns the account's second factor off. Absent if the application has no second factors. */
  removeFactor?(id: string): Promise<void>;
  /** Lists the live sessions of the account, newest first. */
  sessions(id: string): Promise<readonly OpenSession[]>;
  /** Ends every session of the account, but no tokens. */
  signOut(id: string): Promise<void>;
  createToken(id: string, provider: Identity["provider"], token: TokenParts): Promise<CreatedToken>;
  /** Lists the live access tokens of the account, newest first. */
  tokens(id: string): Promise<readonly AccessToken[]>;
  revokeToken(id: string, token: string): Promise<void>;
  /** Deletes the account, together with its sessions, tokens, event records and second factor. */
  delete(id: string): Promise<void>;
}

/** Returns the accounts of a platform whose kinds include `authKinds`. */
export function accountsOf(platform: Platform, auth: BundledAuth): ManagedAccounts {
  const { accounts, entities } = platform;
  const sessions = new Sessions(platform);
  const change = async (id: string, roles: (before: ReadonlySet<string>) => Iterable<string>): Promise<void> => {
    await refusing(accountRefusals, () => changeRoles(platform, id, roles));
    await sessions.markStale(id);
  };
  const disable = async (id: string): Promise<void> => {
    await refusing(accountRefusals, () => accounts.setDisabled(id, true));
    await sessions.endAll(id);
  };
  return {
    async create(user, log) {
      const account = await refusing(accountRefusals, () => accounts.create(accountFieldsOf(user)));
      await announceRegistered({ platform, log }, userOfAccount(account, auth));
      return account;
    },
    get: async (id) => requireAccount(await accounts.get(id)),
    byEmail: async (email) => requireAccount(await accounts.byEmail(email)),
    page: (limit, cursor) => refusing(accountRefusals, () => accounts.list(limit, cursor)),
    grant: (id, role) => change(id, (roles) => [...roles, role]),
    revoke: (id, role) => change(id, (roles) => [...roles].filter((each) => each !== role)),
    setRoles: (id, roles) => change(id, () => roles),
    disable,
    async enable(id) {
      await refusing(accountRefusals, () => accounts.setDisabled(id, false));
    },
    ...(accounts.change && {
      async setPassword(id, password) {
        requirePassword(password);
        await refusing(accountRefusals, () => accounts.change?.(id, { password }));
        await sessions.signOut(id);
      },
    }),
    ...(usesAccounts && auth.account && { removeFactor: (id) => removeFactor(platform, id) }),
    sessions: (id) => sessions.list(id),
    signOut: (id) => sessions.signOut(id),
    createToken: async (id, provider, token) => {
      const created = await refusing(accountRefusals, () => sessions.createToken(id, provider, token));
      if (created === undefined) throw NotFound();
      return created;
    },
    tokens: (id) => sessions.tokens(id),
    async revokeToken(id, token) {
      if (!(await sessions.endToken(id, token))) throw NotFound();
    },
    async delete(id) {
      // If this is interrupted before it deletes the account, the account is disabled, and can be deleted again.
      await disable(id);
      await refusing(accountRefusals, () => accounts.delete(id));
      await sessions.endAll(id);
      for (const kind of [seenKind, registeredKind]) await entities.delete({ kind, id });
      if (usesAccounts && auth.account) await removeFactor(platform, id);
    },
  };
}

/** Returns the fields of a new account. Throws a 400 for invalid values. */
function accountFieldsOf({ email, name = "", password }: NewUser): AccountFields {
  if (!isAddress(email)) throw new StatusError(400, messages.emailAddress);
  if (!isAccountName(name)) throw new StatusError(400, messages.accountName(accountNameCharacters));
  if (password !== undefined) requirePassword(password);
  const fields = { email, name, emailVerified: false, claims: {} };
  return password === undefined ? fields : { ...fields, password };
}

function requirePassword(password: string): void {
  if (!isPassword(password)) throw new StatusError(400, messages.accountPassword(passwordBytes));
}

function requireAccount(account: Account | undefined): Account {
  if (account === undefined) throw NotFound();
  return account;
}

/** The errors of account operations that clients may see. */
export const accountRefusals: Refusals = {
  ...conflicts,
  missing: NotFound,
  exists: () => emailTaken(messages.emailTaken),
  cursor: () => new StatusError(400, messages.cursor),
  query: () => new StatusError(400, messages.queryLimit(pageDocuments)),
  document: ({ message }) => new StatusError(400, messages.accountClaims(message)),
  password: () => new StatusError(400, messages.refusedPassword),
  busy: () => new Busy(),
};
