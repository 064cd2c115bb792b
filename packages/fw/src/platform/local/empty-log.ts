import { join } from "node:path";
import { statOf } from "./files.ts";
import { OpenMark, readMark } from "./open-mark.ts";
import type { Database } from "./sqlite.ts";

/**
 * Copies the whole log into the store and empties it (a checkpoint). Returns false and leaves the log unchanged if
 * another connection is reading from it.
 */
export function emptyLog(database: Database, mark: OpenMark | undefined): boolean {
  // Clears the mark between copying and emptying the log. A kill in between may leave a log that is no longer needed,
  // but never a mark without its log.
  if (!copyLog(database)) return false;
  mark?.clear();
  database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  return true;
}

/** Marks a store as open. If a killed process left a log, first copies the log into the store and empties it. */
export function openMark(database: Database, directory: string): OpenMark {
  if ((statOf(join(directory, "store-wal"))?.size ?? 0) === 0) return new OpenMark(directory);
  if (!copyLog(database)) throw new Error("another process reads from the log of the store");
  const mark = new OpenMark(directory);
  emptyLog(database, mark);
  return mark;
}

/** Closes a store and removes its mark. Clears the mark first, because SQLite may delete the log on closing. */
export function closeStore(database: Database, mark: OpenMark | undefined): void {
  try {
    // libsql does not empty the log itself.
    emptyLog(database, mark);
  } finally {
    database.close();
    mark?.close();
  }
}

/** Closes a store that this process has only read. Empties the log if a killed process left the store open. */
export function closeAfterCheck(database: Database, directory: string): void {
  let mark: OpenMark | undefined;
  try {
    if (readMark(directory) !== undefined) mark = openMark(database, directory);
  } finally {
    database.close();
    mark?.close();
  }
}

function copyLog(database: Database): boolean {
  const [busy] = database.prepare("PRAGMA wal_checkpoint(FULL)").get() ?? [];
  return busy === 0;
}

/**
 * Copies as much of the log into the store as other connections allow, unless a snapshot requires the store to stay
 * unchanged.
 */
export function copyUnreadLog(database: Database): void {
  const [automaticPages] = database.prepare("PRAGMA wal_autocheckpoint").get() ?? [];
  if (automaticPages !== 0) database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
}
