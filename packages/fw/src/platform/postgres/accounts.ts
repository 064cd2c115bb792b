import { newId } from "../../lib/new-id.ts";
import { addressKey, checkAccountFields, checkClaims, checkPasswordText } from "../account-fields.ts";
import type { Account, AccountChange, AccountFields, Accounts, Claims } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import { Passwords } from "../local/accounts-password.ts";
import {
  accountColumns as columns,
  BaseAccounts,
  checkForeignAccount,
  missingAccountError,
  storedAccount,
  type StoredAccount,
} from "../local/base-accounts.ts";
import type { Secrets } from "../local/keys.ts";
import type { Connections, WriteSql } from "./connections.ts";
import type { SqlParameter, SqlRow } from "./driver.ts";
import { Locks } from "./locks.ts";

/** `address` is the normalized email address for comparisons; `verifier` is the stored form of a password. */
export const accountTables = `
  CREATE TABLE @@accounts (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
    address text COLLATE "C" NOT NULL UNIQUE, email text NOT NULL, name text NOT NULL, verified boolean NOT NULL,
    disabled boolean NOT NULL, claims text NOT NULL, created bigint NOT NULL, verifier text
  );
`;

export class PostgresAccounts extends BaseAccounts implements Accounts {
  readonly #connections: Connections;

  constructor(connections: Connections, clock: Clock, secrets: Secrets) {
    super(clock, secrets, new Passwords());
    this.#connections = connections;
  }

  async create(fields: AccountFields): Promise<Account> {
    this.#connections.refuseIfClosed();
    checkAccountFields(fields);
    const { id = newId(), email, name, emailVerified, password } = fields;
    const address = addressKey(email);
    const claims = JSON.stringify(fields.claims);
    const verifier = password === undefined ? null : await this.passwords.verifierOf(password);
    return this.#insert([id, address, email, name, emailVerified, false, claims, this.clock.now(), verifier]);
  }

  /** Returns the hash of the account's password, for a copy to another store. */
  async verifierOf({ id }: Pick<Account, "id">): Promise<string | undefined> {
    return (await this.#find("id", id))?.verifier;
  }

  /** Imports an account from another store with its password hash. Throws the same errors as `create`. */
  async take(account: Account, verifier: string | undefined): Promise<Account> {
    checkForeignAccount(account, verifier);
    const { id, email, name, emailVerified, disabled, claims, created } = account;
    const row = [id, addressKey(email), email, name, emailVerified, disabled, JSON.stringify(claims)];
    return this.#insert([...row, created.getTime(), verifier ?? null]);
  }

  async get(id: string): Promise<Account | undefined> {
    return isText(id) ? (await this.#find("id", id))?.account : undefined;
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return isText(email) ? (await this.#find("address", addressKey(email)))?.account : undefined;
  }

  async setClaims(id: string, claims: Claims): Promise<Account> {
    checkClaims(claims);
    return this.#update("claims = $2", id, JSON.stringify(claims));
  }

  setDisabled(id: string, disabled: boolean): Promise<Account> {
    return this.#update("disabled = $2", id, disabled);
  }

  async change(id: string, { password, emailVerified }: AccountChange): Promise<Account> {
    if (password !== undefined) checkPasswordText(password);
    if ((await this.get(id)) === undefined) return presentAccount(id, undefined);
    const verifier = password === undefined ? undefined : await this.passwords.verifierOf(password);
    const changes = "verifier = coalesce($2, verifier), verified = coalesce($3, verified)";
    return this.#update(changes, id, verifier ?? null, emailVerified ?? null);
  }

  async delete(id: string): Promise<void> {
    await this.#write(new Locks(""), async (sql) => {
      const rows = await sql.rows(`DELETE FROM @@accounts WHERE id = $1 RETURNING ${columns}`, [textOr(id)]);
      presentAccount(id, rows[0]);
    });
  }

  protected findAddress(address: string): Promise<StoredAccount | undefined> {
    return this.#find("address", textOr(address));
  }

  protected async accountsAfter(n: number, limit: number): Promise<StoredAccount[]> {
    const text = `SELECT ${columns} FROM @@accounts WHERE n > $1 ORDER BY n LIMIT ${limit}`;
    return (await this.#read(text, [n])).map(storedAccount);
  }

  async #update(set: string, id: string, ...values: readonly SqlParameter[]): Promise<Account> {
    return this.#write(new Locks(""), async (sql) => {
      const rows = await sql.rows(`UPDATE @@accounts SET ${set} WHERE id = $1 RETURNING ${columns}`, [
        textOr(id),
        ...values,
      ]);
      return presentAccount(id, rows[0]);
    });
  }

  /** Inserts a row; its values are in the order of the columns. */
  #insert(row: readonly SqlParameter[]): Promise<Account> {
    const [id, address] = row;
    // Creates accounts one at a time, so that the list only grows at its end.
    return this.#write(new Locks(this.#connections.address.schema).exclusive("accounts"), async (sql) => {
      const rows = await sql.rows("SELECT address FROM @@accounts WHERE address = $1 OR id = $2", [
        address ?? null,
        id ?? null,
      ]);
      if (rows.some((each) => each["address"] === address)) throw existsError("this address");
      if (rows.length > 0) throw existsError(`the id ${JSON.stringify(id)}`);
      const created = await sql.rows(
        `INSERT INTO @@accounts (id, address, email, name, verified, disabled, claims, created, verifier)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${columns}`,
        row,
      );
      return presentAccount(String(id), created[0]);
    });
  }

  async #find(column: "id" | "address", value: string): Promise<StoredAccount | undefined> {
    const [row] = await this.#read(`SELECT ${columns} FROM @@accounts WHERE ${column} = $1`, [value]);
    return row && storedAccount(row);
  }

  #read(text: string, values: readonly SqlParameter[]): Promise<readonly SqlRow[]> {
    return this.#connections.during(() => this.#connections.read(text, values));
  }

  #write<T>(locks: Locks, work: (sql: WriteSql) => Promise<T>): Promise<T> {
    return this.#connections.during(() => this.#connections.write(locks.sql, work));
  }
}

function presentAccount(id: string, row: SqlRow | undefined): Account {
  if (row === undefined) throw missingAccountError(id);
  return storedAccount(row).account;
}

/** True if a column can store the text; no account contains other texts. */
function isText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function textOr(text: string): string {
  return isText(text) ? text : "";
}

function existsError(what: string): PlatformError {
  return new PlatformError("exists", `there is an account of ${what} already`);
}
