import { pageDocuments } from "../lib/limits.ts";
import type { Query } from "./contract.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { PlatformError } from "./errors.ts";

/** What the cursors of the list of accounts are sealed for. No query of documents has this kind. */
const list: Query = { kind: "_fw_accounts", filters: [], orders: [], limit: pageDocuments };

/** Fails with `query` where a page cannot have so many accounts. */
export function checkAccountPage(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > pageDocuments)
    throw new PlatformError("query", `a page has 1 to ${pageDocuments} accounts, not ${limit}`);
}

/** A place in the list, which a platform could only tell by what could be read and altered. */
export function sealListCursor(key: Uint8Array, place: string | number): string {
  return sealCursor(key, list, { values: [place], id: "" });
}

/** The place that was sealed, undefined for the list's beginning, which "" is; fails with `cursor` where it was altered. */
export function openListCursor(key: Uint8Array, cursor: string): string | number | undefined {
  return cursor === "" ? undefined : (openCursor(key, list, cursor).values[0] as string | number);
}
