import { pageDocuments } from "../lib/limits.ts";
import type { Account, AccountPage } from "./accounts.ts";
import type { Query } from "./contract.ts";
import { openCursor, sealCursor } from "./cursor.ts";

/** The query that cursors of the account list belong to. No query of documents uses its kind. */
const accountListQuery: Query = { kind: "_fw_accounts", filters: [], orders: [], limit: pageDocuments };

/** Encrypts a position in the account list, so that clients cannot read or alter it. */
export function sealListCursor(key: Uint8Array, position: string | number): string {
  return sealCursor(key, accountListQuery, { values: [position], id: "" });
}

/**
 * Decrypts a cursor to a position in the account list; undefined for "", the start of the list. Throws a PlatformError
 * `cursor` if the cursor was altered.
 */
export function openListCursor(key: Uint8Array, cursor: string): string | number | undefined {
  return cursor === "" ? undefined : (openCursor(key, accountListQuery, cursor).values[0] as string | number);
}

/** Builds a page of accounts from rows in list order. `rows` has one row more than the page if there is a next page. */
export function pageOfAccounts(
  rows: readonly { readonly account: Account; readonly n: number }[],
  limit: number,
  key: Uint8Array,
): AccountPage {
  const page = rows.slice(0, limit);
  const accounts = page.map(({ account }) => account);
  const last = page.at(-1);
  if (rows.length <= limit || last === undefined) return { accounts };
  return { accounts, next: sealListCursor(key, last.n) };
}
