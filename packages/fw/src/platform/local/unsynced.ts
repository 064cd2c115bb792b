import { inTransaction, type Database } from "./sqlite.ts";

/** SQLite's NORMAL level: fsync only at checkpoints. */
const normal = 1;

/**
 * Commits without fsync. A crash of the process loses nothing; a power cut may undo writes until the next commit with
 * fsync. Must not be called inside a transaction.
 */
export function commitUnsynced<T>(database: Database, work: () => T): T {
  const before = Number(database.prepare("PRAGMA synchronous").get()?.[0]);
  database.exec(`PRAGMA synchronous = ${Math.min(before, normal)}`);
  try {
    return inTransaction(database, work);
  } finally {
    database.exec(`PRAGMA synchronous = ${before}`);
  }
}
