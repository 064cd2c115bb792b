import { inTransaction, type Database } from "./sqlite.ts";

/** What SQLite calls NORMAL: it waits for the disk at checkpoints only. */
const normal = 1;

/**
 * Commits without waiting for the disk. What was written outlives the process from now on; a power cut may undo it until
 * the next commit that waits. Must not be called inside of a transaction.
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
