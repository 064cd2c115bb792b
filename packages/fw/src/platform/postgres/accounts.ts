import { addressKey } from "../account-fields.ts";
import type { Account, AccountFields, Accounts } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import { Passwords } from "../local/accounts-password.ts";
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
} from "../local/base-accounts.ts";
import type { Secrets } from "../local/keys.ts";
import type { Connections, WriteSql } from "./connections.ts";
import type { SqlRow } from "./driver.ts";
import { Locks } from "./locks.ts";

/** `address` is the normalized email address used for comparisons; `verifier` is the stored form of a password. */
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

  override async create(fields: AccountFields): Promise<Account> {
    this.#connections.refuseIfClosed();
    return super.create(fields);
  }

  /** Returns the account's password hash for use in another store; undefined if there is none. */
  async verifierOf({ id }: Pick<Account, "id">): Promise<string | undefined> {
    return (await this.#find("id", id))?.verifier;
  }

  async get(id: string): Promise<Account | undefined> {
    return isText(id) ? (await this.#find("id", id))?.account : undefined;
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return isText(email) ? (await this.#find("address", addressKey(email)))?.account : undefined;
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
    return (await this.#connections.query(text, [n])).map(storedAccount);
  }

  protected update(id: string, { claims, disabled, verified, verifier }: ChangedColumns): Promise<Account> {
    return this.#write(new Locks(""), async (sql) => {
      const rows = await sql.rows(
        `UPDATE @@accounts SET claims = coalesce($2, claims), disabled = coalesce($3, disabled),
           verified = coalesce($4, verified), verifier = coalesce($5, verifier) WHERE id = $1 RETURNING ${columns}`,
        [textOr(id), claims ?? null, disabled ?? null, verified ?? null, verifier ?? null],
      );
      return presentAccount(id, rows[0]);
    });
  }

  protected insert(row: AccountRow): Promise<Account> {
    const [id, address] = row;
    // Creates accounts one at a time, so that new ones always come last in the list.
    return this.#write(new Locks(this.#connections.address.schema).exclusive("accounts"), async (sql) => {
      const rows = await sql.rows("SELECT address FROM @@accounts WHERE address = $1 OR id = $2", [address, id]);
      if (rows.some((each) => each["address"] === address)) throw existsError("this address");
      if (rows.length > 0) throw existsError(`the id ${JSON.stringify(id)}`);
      const created = await sql.rows(
        `INSERT INTO @@accounts (${insertedAccountColumns})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${columns}`,
        row,
      );
      return presentAccount(id, created[0]);
    });
  }

  async #find(column: "id" | "address", value: string): Promise<StoredAccount | undefined> {
    const [row] = await this.#connections.query(`SELECT ${columns} FROM @@accounts WHERE ${column} = $1`, [value]);
    return row && storedAccount(row);
  }

  #write<T>(locks: Locks, work: (sql: WriteSql) => Promise<T>): Promise<T> {
    return this.#connections.during(() => this.#connections.write(locks.sql, work));
  }
}

function presentAccount(id: string, row: SqlRow | undefined): Account {
  if (row === undefined) throw missingAccountError(id);
  return storedAccount(row).account;
}

/** True if a column can store the string. Any other string matches no account. */
function isText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function textOr(text: string): string {
  return isText(text) ? text : "";
}
