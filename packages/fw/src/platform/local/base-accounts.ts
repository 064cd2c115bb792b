import { checkLimit } from "../query-plan.ts";
import { openListCursor, pageOfAccounts } from "../account-cursor.ts";
import { addressKey, checkAccountFields } from "../account-fields.ts";
import type { Account, AccountPage, Claims, VerifiedToken } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import { isVerifier, passwordVersion, type Passwords } from "./accounts-password.ts";
import { openToken } from "./accounts-token.ts";
import type { Secrets } from "./keys.ts";

/** An account with its row number, which orders the list, and its password hash. */
export interface StoredAccount {
  readonly n: number;
  readonly account: Account;
  readonly verifier: string | undefined;
}

export const accountColumns = "n, id, email, name, verified, disabled, claims, created, verifier";

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

  /** Returns accounts with higher row numbers, in their order. */
  protected abstract accountsAfter(n: number, limit: number): Promise<StoredAccount[]>;

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
    // Hashing takes time, during which the account may have been disabled, or its address reassigned.
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

/** Checks an account of another store, and its password hash. Throws a PlatformError `document`. */
export function checkForeignAccount(account: Account, verifier: string | undefined): void {
  const { id, email, name, emailVerified, claims } = account;
  checkAccountFields({ id, email, name, emailVerified, claims });
  if (verifier !== undefined && !isVerifier(verifier))
    throw new PlatformError("document", `the password hash of ${JSON.stringify(id)} has an unknown format`);
}

/** Reads the columns `accountColumns` of a row. */
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
