import type { Database } from "./sqlite.ts";

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
    database.exec("BEGIN IMMEDIATE");
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollback(database);
    throw error;
  } finally {
    database.exec(`PRAGMA synchronous = ${before}`);
  }
}

function rollback(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has ended the transaction itself, as it does when the disk is full.
  }
}
