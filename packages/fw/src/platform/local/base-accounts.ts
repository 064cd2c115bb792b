import { checkLimit } from "../query-plan.ts";
import { openListCursor, pageOfAccounts } from "../account-cursor.ts";
import { newId } from "../../lib/new-id.ts";
import { addressKey, checkAccountFields, checkClaims, checkPasswordText } from "../account-fields.ts";
import type { Account, AccountChange, AccountFields, AccountPage, Claims, VerifiedToken } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import { isVerifier, passwordVersion, type Passwords } from "./accounts-password.ts";
import { openToken } from "./accounts-token.ts";
import type { Secrets } from "./keys.ts";

/** An account with its password hash. Lists are sorted by `n`, the row number. */
export interface StoredAccount {
  readonly n: number;
  readonly account: Account;
  readonly verifier: string | undefined;
}

export const accountColumns = "n, id, email, name, verified, disabled, claims, created, verifier";

export const insertedAccountColumns = "id, address, email, name, verified, disabled, claims, created, verifier";

/** The values of `insertedAccountColumns`. */
export type AccountRow = readonly [
  id: string,
  address: string,
  email: string,
  name: string,
  verified: boolean,
  disabled: boolean,
  claims: string,
  created: number,
  verifier: string | null,
];

/** The columns of an account to change; absent ones keep their values. */
export interface ChangedColumns {
  readonly claims?: string;
  readonly disabled?: boolean;
  readonly verified?: boolean | undefined;
  readonly verifier?: string | undefined;
}

/** Accounts in a table of an SQL store, listed in order of creation. */
export abstract class BaseAccounts {
  protected readonly clock: Clock;
  protected readonly passwords: Passwords;
  protected readonly secrets: Secrets;

  protected constructor(clock: Clock, secrets: Secrets, passwords: Passwords) {
    this.clock = clock;
    this.passwords = passwords;
    this.secrets = secrets;
  }

  abstract get(id: string): Promise<Account | undefined>;

  protected abstract findAddress(address: string): Promise<StoredAccount | undefined>;

  /** Inserts an account. Throws a PlatformError `exists` if another account has its id or address. */
  protected abstract insert(row: AccountRow): Promise<Account>;

  protected abstract update(id: string, changes: ChangedColumns): Promise<Account>;

  /** Returns up to `limit` accounts with row numbers above `n`, in ascending order. */
  protected abstract accountsAfter(n: number, limit: number): Promise<StoredAccount[]>;

  async create(fields: AccountFields): Promise<Account> {
    checkAccountFields(fields);
    const { id = newId(), email, name, emailVerified, password } = fields;
    const claims = JSON.stringify(fields.claims);
    const verifier = password === undefined ? null : await this.passwords.verifierOf(password);
    return this.insert([id, addressKey(email), email, name, emailVerified, false, claims, this.clock.now(), verifier]);
  }

  /**
   * Imports an account from another store with its password hash. Throws a PlatformError `exists` or `document` like
   * `create`, and `document` if the hash has an unknown format.
   */
  async take(account: Account, verifier: string | undefined): Promise<Account> {
    const { id, email, name, emailVerified, disabled, claims, created } = account;
    checkAccountFields({ id, email, name, emailVerified, claims });
    if (verifier !== undefined && !isVerifier(verifier))
      throw new PlatformError("document", `the password hash of ${JSON.stringify(id)} has an unknown format`);
    const text = JSON.stringify(claims);
    const time = created.getTime();
    return this.insert([id, addressKey(email), email, name, emailVerified, disabled, text, time, verifier ?? null]);
  }

  async setClaims(id: string, claims: Claims): Promise<Account> {
    checkClaims(claims);
    return this.update(id, { claims: JSON.stringify(claims) });
  }

  setDisabled(id: string, disabled: boolean): Promise<Account> {
    return this.update(id, { disabled });
  }

  async change(id: string, { password, emailVerified }: AccountChange): Promise<Account> {
    if (password !== undefined) checkPasswordText(password);
    if ((await this.get(id)) === undefined) throw missingAccountError(id);
    const verifier = password === undefined ? undefined : await this.passwords.verifierOf(password);
    return this.update(id, { verifier, verified: emailVerified });
  }

  async list(limit: number, cursor: string): Promise<AccountPage> {
    checkLimit(limit, "accounts");
    const key = this.secrets("cursor");
    const after = Number(openListCursor(key, cursor) ?? 0);
    return pageOfAccounts(await this.accountsAfter(after, limit + 1), limit, key);
  }

  async checkPassword(email: string, password: string): Promise<Account | undefined> {
    const address = addressKey(email);
    const verifier = (await this.findAddress(address))?.verifier;
    const isRight = await this.passwords.matches(password, verifier);
    // The account may have been disabled, or its address reassigned, while the password was being hashed.
    const now = await this.findAddress(address);
    return isRight && now?.verifier === verifier && now?.account.disabled === false ? now.account : undefined;
  }

  async verifyToken(token: string): Promise<VerifiedToken | { readonly refused: string }> {
    const claims = openToken(this.secrets("token"), token, this.clock.now());
    if ("refused" in claims) return claims;
    const account = await this.get(claims.account);
    if (account === undefined) return { refused: "its account was deleted" };
    return account.disabled ? { refused: "its account is disabled" } : { account, provider: claims.provider };
  }
}

/** Reads an account from the columns `accountColumns` of a row. */
export function storedAccount(row: Readonly<Record<string, unknown>>): StoredAccount {
  const { n, id, email, name, verified, disabled, claims, created, verifier: hash } = row;
  const verifier = typeof hash === "string" ? hash : undefined;
  const account = {
    id: String(id),
    email: String(email),
    name: String(name),
    emailVerified: Boolean(verified),
    disabled: Boolean(disabled),
    hasPassword: verifier !== undefined,
    ...(verifier !== undefined && { passwordVersion: passwordVersion(verifier) }),
    claims: JSON.parse(String(claims)) as Claims,
    created: new Date(Number(created)),
  };
  return { n: Number(n), account, verifier };
}

export function missingAccountError(id: string): PlatformError {
  return new PlatformError("missing", `there is no account ${JSON.stringify(id)}`);
}

export function existsError(what: string): PlatformError {
  return new PlatformError("exists", `${what} already has an account`);
}
