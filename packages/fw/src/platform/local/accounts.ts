import { newId } from "../../lib/new-id.ts";
import { addressKey, checkAccountFields, checkClaims, checkPasswordText } from "../account-fields.ts";
import type { Account, AccountChange, AccountFields, Accounts, Claims } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { closedError, PlatformError } from "../errors.ts";
import type { Passwords } from "./accounts-password.ts";
import { sealToken } from "./accounts-token.ts";
import {
  accountColumns as columns,
  BaseAccounts,
  checkForeignAccount,
  missingAccountError,
  storedAccount,
  type StoredAccount,
} from "./base-accounts.ts";
import type { Secrets } from "./keys.ts";
import { prepareAll, type Database, type Row, type Statement } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** `address` is the normalized email; `verifier` is the password hash. */
export const accountTables = `
  CREATE TABLE accounts (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, address TEXT NOT NULL UNIQUE, email TEXT NOT NULL,
    name TEXT NOT NULL, verified INTEGER NOT NULL, disabled INTEGER NOT NULL, claims TEXT NOT NULL,
    created INTEGER NOT NULL, verifier TEXT
  );
`;

const statements = {
  byId: `SELECT ${columns} FROM accounts WHERE id = ?`,
  byAddress: `SELECT ${columns} FROM accounts WHERE address = ?`,
  page: `SELECT ${columns} FROM accounts WHERE n > ? ORDER BY n LIMIT ?`,
  insert:
    "INSERT INTO accounts (id, address, email, name, verified, disabled, claims, created, verifier) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)",
  setClaims: "UPDATE accounts SET claims = ? WHERE id = ?",
  setDisabled: "UPDATE accounts SET disabled = ? WHERE id = ?",
  setVerified: "UPDATE accounts SET verified = ? WHERE id = ?",
  setVerifier: "UPDATE accounts SET verifier = ? WHERE id = ?",
  delete: "DELETE FROM accounts WHERE id = ?",
} as const;

export class LocalAccounts extends BaseAccounts implements Accounts {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  readonly #queue: WriteQueue;
  #closed = false;

  constructor(database: Database, queue: WriteQueue, clock: Clock, secrets: Secrets, passwords: Passwords) {
    super(clock, secrets, passwords);
    this.#queue = queue;
    this.#sql = prepareAll(database, statements);
  }

  async create(fields: AccountFields): Promise<Account> {
    checkAccountFields(fields);
    const { id = newId(), email, name, emailVerified, password } = fields;
    const address = addressKey(email);
    const claims = JSON.stringify(fields.claims);
    const verifier = password === undefined ? null : await this.passwords.verifierOf(password);
    return this.#queue.write(() => {
      this.#refuseTaken(id, address);
      this.#sql.insert.run(id, address, email, name, Number(emailVerified), claims, this.clock.now(), verifier);
      return this.#present(id);
    });
  }

  /** Returns the hash of the account's password, for an export. */
  verifierOf({ id }: Pick<Account, "id">): string | undefined {
    return this.#find(id)?.verifier;
  }

  /** Imports an account from another store with its password hash. Throws the same errors as `create`. */
  async take(account: Account, verifier: string | undefined): Promise<Account> {
    checkForeignAccount(account, verifier);
    const { id, email, name, emailVerified, disabled, claims, created } = account;
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

  /** Synchronous `get`. */
  getNow(id: string): Account | undefined {
    return this.#find(id)?.account;
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return this.byEmailNow(email);
  }

  /** Synchronous `byEmail`. */
  byEmailNow(email: string): Account | undefined {
    return this.#findAddress(addressKey(email))?.account;
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

  async change(id: string, { password, emailVerified }: AccountChange): Promise<Account> {
    if (password !== undefined) checkPasswordText(password);
    this.#present(id);
    const verifier = password === undefined ? undefined : await this.passwords.verifierOf(password);
    return this.#queue.write(() => {
      this.#present(id);
      if (verifier !== undefined) this.#sql.setVerifier.run(verifier, id);
      if (emailVerified !== undefined) this.#sql.setVerified.run(Number(emailVerified), id);
      return this.#present(id);
    });
  }

  async delete(id: string): Promise<void> {
    return this.#queue.write(() => {
      this.#present(id);
      this.#sql.delete.run(id);
    });
  }

  /** Returns an ID token as an identity provider would issue it; `verifyToken` accepts it until it expires. */
  mintToken(accountId: string, provider: string, expires: Date): string {
    return sealToken(this.secrets("token"), { account: accountId, provider, expires: expires.getTime() });
  }

  close(): void {
    this.#closed = true;
  }

  protected async findAddress(address: string): Promise<StoredAccount | undefined> {
    return this.#findAddress(address);
  }

  protected async accountsAfter(n: number, limit: number): Promise<StoredAccount[]> {
    this.#refuseIfClosed();
    return this.#sql.page.all(n, limit).map(readAccountRow);
  }

  #refuseTaken(id: string, address: string): void {
    if (this.#findAddress(address) !== undefined) throw existsError("this address");
    if (this.#find(id) !== undefined) throw existsError(`the id ${JSON.stringify(id)}`);
  }

  #find(id: string): StoredAccount | undefined {
    this.#refuseIfClosed();
    const row = this.#sql.byId.get(id);
    return row && readAccountRow(row);
  }

  #findAddress(address: string): StoredAccount | undefined {
    this.#refuseIfClosed();
    const row = this.#sql.byAddress.get(address);
    return row && readAccountRow(row);
  }

  #present(id: string): Account {
    const row = this.#find(id);
    if (row === undefined) throw missingAccountError(id);
    return row.account;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }
}

function readAccountRow([n, id, email, name, verified, disabled, claims, created, verifier]: Row): StoredAccount {
  return storedAccount({ n, id, email, name, verified, disabled, claims, created, verifier });
}

function existsError(what: string): PlatformError {
  return new PlatformError("exists", `${what} already has an account`);
}
