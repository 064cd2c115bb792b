import type { Database } from "./sqlite.ts";

/**
 * Commits without waiting for the disk. What was written outlives the process from now on; a power cut may undo it until
 * the next commit that waits. Must not be called inside of a transaction.
 */
export function commitUnsynced<T>(database: Database, work: () => T): T {
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    database.exec("BEGIN IMMEDIATE");
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollback(database);
    throw error;
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

function rollback(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has ended the transaction itself, as it does when the disk is full.
  }
}
