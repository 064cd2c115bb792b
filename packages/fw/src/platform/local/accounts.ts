import { newId } from "../../lib/new-id.ts";
import { checkAccountPage, openListCursor, sealListCursor } from "../account-cursor.ts";
import { addressKey, checkAccountFields, checkClaims } from "../account-fields.ts";
import type { Account, AccountFields, AccountPage, Accounts, Claims, VerifiedToken } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { closedError, PlatformError } from "../errors.ts";
import { isVerifier, Passwords } from "./accounts-password.ts";
import { openToken, sealToken } from "./accounts-token.ts";
import type { Secrets } from "./keys.ts";
import { prepared, type Database, type Row, type Statement } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** `address` is the email by which addresses are compared; `verifier` what is kept of a password. */
export const accountTables = `
  CREATE TABLE accounts (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, address TEXT NOT NULL UNIQUE, email TEXT NOT NULL,
    name TEXT NOT NULL, verified INTEGER NOT NULL, disabled INTEGER NOT NULL, claims TEXT NOT NULL,
    created INTEGER NOT NULL, verifier TEXT
  );
`;

const columns = "n, id, email, name, verified, disabled, claims, created, verifier";

/** An account with its place in the list and what is kept of its password. */
interface Kept {
  readonly n: number;
  readonly account: Account;
  readonly verifier: string | undefined;
}

const statements = {
  byId: `SELECT ${columns} FROM accounts WHERE id = ?`,
  byAddress: `SELECT ${columns} FROM accounts WHERE address = ?`,
  page: `SELECT ${columns} FROM accounts WHERE n > ? ORDER BY n LIMIT ?`,
  insert:
    "INSERT INTO accounts (id, address, email, name, verified, disabled, claims, created, verifier) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)",
  setClaims: "UPDATE accounts SET claims = ? WHERE id = ?",
  setDisabled: "UPDATE accounts SET disabled = ? WHERE id = ?",
  delete: "DELETE FROM accounts WHERE id = ?",
} as const;

/** Accounts in SQLite, listed in the order in which they were made. */
export class LocalAccounts implements Accounts {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #passwords = new Passwords();
  readonly #cursorKey: Uint8Array;
  readonly #tokenKey: Uint8Array;
  #closed = false;

  constructor(database: Database, queue: WriteQueue, clock: Clock, secrets: Secrets) {
    this.#queue = queue;
    this.#clock = clock;
    this.#cursorKey = secrets("cursor");
    this.#tokenKey = secrets("token");
    this.#sql = prepared(database, statements);
  }

  async create(fields: AccountFields): Promise<Account> {
    checkAccountFields(fields);
    const { id = newId(), email, name, emailVerified, password } = fields;
    const address = addressKey(email);
    const claims = JSON.stringify(fields.claims);
    const verifier = password === undefined ? null : await this.#passwords.verifierOf(password);
    return this.#queue.write(() => {
      this.#refuseTaken(id, address);
      this.#sql.insert.run(id, address, email, name, Number(emailVerified), claims, this.#clock.now(), verifier);
      return this.#present(id);
    });
  }

  /** What is kept of the account's password. */
  verifierOf({ id }: Pick<Account, "id">): string | undefined {
    return this.#find(id)?.verifier;
  }

  /** Makes an account as another store had it, with what that one kept of its password. Fails as `create` does. */
  async take(account: Account, verifier: string | undefined): Promise<Account> {
    const { id, email, name, emailVerified, disabled, claims, created } = account;
    checkAccountFields({ id, email, name, emailVerified, claims });
    if (verifier !== undefined && !isVerifier(verifier))
      throw new PlatformError("document", `what is kept of the password of ${JSON.stringify(id)} cannot be read`);
    const address = addressKey(email);
    return this.#queue.write(() => {
      this.#refuseTaken(id, address);
      const text = JSON.stringify(claims);
      this.#sql.insert.run(id, address, email, name, Number(emailVerified), text, created.getTime(), verifier ?? null);
      if (disabled) this.#sql.setDisabled.run(1, id);
      return this.#present(id);
    });
  }

  async get(id: string): Promise<Account | undefined> {
    return this.getNow(id);
  }

  /** `get`, at once. */
  getNow(id: string): Account | undefined {
    return this.#find(id)?.account;
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return this.byEmailNow(email);
  }

  /** `byEmail`, at once. */
  byEmailNow(email: string): Account | undefined {
    return this.#findAddress(addressKey(email))?.account;
  }

  async list(limit: number, cursor: string): Promise<AccountPage> {
    checkAccountPage(limit);
    const after = Number(openListCursor(this.#cursorKey, cursor) ?? 0);
    this.#refuseIfClosed();
    const found = this.#sql.page.all(after, limit + 1).map(keptOf);
    const page = found.slice(0, limit);
    const accounts = page.map(({ account }) => account);
    const last = page.at(-1);
    if (found.length <= limit || last === undefined) return { accounts };
    return { accounts, next: sealListCursor(this.#cursorKey, last.n) };
  }

  async setClaims(id: string, claims: Claims): Promise<Account> {
    checkClaims(claims);
    const text = JSON.stringify(claims);
    return this.#queue.write(() => {
      this.#present(id);
      this.#sql.setClaims.run(text, id);
      return this.#present(id);
    });
  }

  async setDisabled(id: string, disabled: boolean): Promise<Account> {
    return this.#queue.write(() => {
      this.#present(id);
      this.#sql.setDisabled.run(Number(disabled), id);
      return this.#present(id);
    });
  }

  async delete(id: string): Promise<void> {
    return this.#queue.write(() => {
      this.#present(id);
      this.#sql.delete.run(id);
    });
  }

  async checkPassword(email: string, password: string): Promise<Account | undefined> {
    const address = addressKey(email);
    const verifier = this.#findAddress(address)?.verifier;
    const right = await this.#passwords.matches(password, verifier);
    // Deriving takes time: meanwhile the account may have been disabled, or another one may have come to the address.
    const now = this.#findAddress(address);
    return right && now?.verifier === verifier && now?.account.disabled === false ? now.account : undefined;
  }

  async verifyToken(token: string): Promise<VerifiedToken | { readonly refused: string }> {
    const claims = openToken(this.#tokenKey, token, this.#clock.now());
    if ("refused" in claims) return claims;
    const account = this.#find(claims.account)?.account;
    if (account === undefined) return { refused: "its account was deleted" };
    return account.disabled ? { refused: "its account is disabled" } : { account, provider: claims.provider };
  }

  /** An ID token as an identity provider would issue it, which `verifyToken` takes until it expires. */
  mintToken(accountId: string, provider: string, expires: Date): string {
    return sealToken(this.#tokenKey, { account: accountId, provider, expires: expires.getTime() });
  }

  close(): void {
    this.#closed = true;
  }

  #refuseTaken(id: string, address: string): void {
    if (this.#findAddress(address) !== undefined) throw existsError("this address");
    if (this.#find(id) !== undefined) throw existsError(`the id ${JSON.stringify(id)}`);
  }

  #find(id: string): Kept | undefined {
    this.#refuseIfClosed();
    const row = this.#sql.byId.get(id);
    return row && keptOf(row);
  }

  #findAddress(address: string): Kept | undefined {
    this.#refuseIfClosed();
    const row = this.#sql.byAddress.get(address);
    return row && keptOf(row);
  }

  #present(id: string): Account {
    const kept = this.#find(id);
    if (kept === undefined) throw new PlatformError("missing", `there is no account ${JSON.stringify(id)}`);
    return kept.account;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }
}

function keptOf([n, id, email, name, verified, disabled, claims, created, verifier]: Row): Kept {
  const account = {
    id: String(id),
    email: String(email),
    name: String(name),
    emailVerified: verified === 1,
    disabled: disabled === 1,
    hasPassword: verifier !== null,
    claims: JSON.parse(String(claims)) as Claims,
    created: new Date(Number(created)),
  };
  return { n: Number(n), account, verifier: verifier === null ? undefined : String(verifier) };
}

function existsError(what: string): PlatformError {
  return new PlatformError("exists", `there is an account of ${what} already`);
}
