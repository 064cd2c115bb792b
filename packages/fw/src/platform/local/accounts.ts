import { addressKey } from "../account-fields.ts";
import type { Account, Accounts } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { closedError } from "../errors.ts";
import type { Passwords } from "./accounts-password.ts";
import { sealToken } from "./accounts-token.ts";
import {
  accountColumns as columns,
  type AccountRow,
  BaseAccounts,
  type ChangedColumns,
  existsError,
  insertedAccountColumns,
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
  insert: `INSERT INTO accounts (${insertedAccountColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  update: `UPDATE accounts SET claims = coalesce(?, claims), disabled = coalesce(?, disabled),
    verified = coalesce(?, verified), verifier = coalesce(?, verifier) WHERE id = ?`,
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

  /** Returns the hash of the account's password, for an export; undefined if it has none. */
  verifierOf({ id }: Pick<Account, "id">): string | undefined {
    return this.#find(id)?.verifier;
  }

  async get(id: string): Promise<Account | undefined> {
    return this.getNow(id);
  }

  /** The synchronous version of `get`. */
  getNow(id: string): Account | undefined {
    return this.#find(id)?.account;
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return this.byEmailNow(email);
  }

  /** The synchronous version of `byEmail`. */
  byEmailNow(email: string): Account | undefined {
    return this.#findAddress(addressKey(email))?.account;
  }

  async delete(id: string): Promise<void> {
    return this.#queue.write(() => {
      this.#present(id);
      this.#sql.delete.run(id);
    });
  }

  /**
   * Returns an ID token as an identity provider would. `verifyToken` accepts it until it expires, if the account exists
   * and is enabled.
   */
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

  protected insert([id, address, email, name, verified, disabled, ...rest]: AccountRow): Promise<Account> {
    return this.#queue.write(() => {
      if (this.#findAddress(address) !== undefined) throw existsError("this address");
      if (this.#find(id) !== undefined) throw existsError(`the id ${JSON.stringify(id)}`);
      this.#sql.insert.run(id, address, email, name, Number(verified), Number(disabled), ...rest);
      return this.#present(id);
    });
  }

  protected update(id: string, { claims, disabled, verified, verifier }: ChangedColumns): Promise<Account> {
    return this.#queue.write(() => {
      this.#present(id);
      this.#sql.update.run(claims ?? null, flagValue(disabled), flagValue(verified), verifier ?? null, id);
      return this.#present(id);
    });
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

function flagValue(flag: boolean | undefined): number | null {
  return flag === undefined ? null : Number(flag);
}
