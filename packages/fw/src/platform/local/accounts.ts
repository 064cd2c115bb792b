import type { Account, AccountFields, AccountPage, Accounts, Claims, VerifiedToken } from "../accounts.ts";
import type { Clock } from "../contract.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** The tables of accounts. */
export const accountTables = "";

/** Accounts in SQLite. */
export class LocalAccounts implements Accounts {
  constructor(_database: Database, _queue: WriteQueue, _clock: Clock) {}

  create(_fields: AccountFields): Promise<Account> {
    throw new Error("not here yet");
  }
  get(_id: string): Promise<Account | undefined> {
    throw new Error("not here yet");
  }
  byEmail(_email: string): Promise<Account | undefined> {
    throw new Error("not here yet");
  }
  list(_limit: number, _cursor: string): Promise<AccountPage> {
    throw new Error("not here yet");
  }
  setClaims(_id: string, _claims: Claims): Promise<Account> {
    throw new Error("not here yet");
  }
  setDisabled(_id: string, _disabled: boolean): Promise<Account> {
    throw new Error("not here yet");
  }
  delete(_id: string): Promise<void> {
    throw new Error("not here yet");
  }
  verifyToken(_token: string): Promise<VerifiedToken | { readonly refused: string }> {
    throw new Error("not here yet");
  }
}
