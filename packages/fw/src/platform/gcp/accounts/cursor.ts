import { pageDocuments } from "../../../lib/limits.ts";
import type { Query } from "../../contract.ts";
import { openCursor, sealCursor } from "../../cursor.ts";

/** What the cursors of the list are sealed for. No query of documents has this kind. */
const list: Query = { kind: "_fw_accounts", filters: [], orders: [], limit: pageDocuments };

/** A place in the list, which Identity Platform tells by a text that could be read and altered. */
export function sealListCursor(key: Uint8Array, token: string): string {
  return sealCursor(key, list, { values: [token], id: "" });
}

/** Fails with `cursor` where it was altered. */
export function openListCursor(key: Uint8Array, cursor: string): string {
  return String(openCursor(key, list, cursor).values[0]);
}
