import { join } from "node:path";
import { PlatformError } from "../errors.ts";
import { isBusy, openDatabase } from "./sqlite.ts";

/**
 * Locks a data directory for this process; call the returned function to release it. Uses SQLite's lock on a separate
 * file, which the operating system releases no matter how the process ends. Throws a PlatformError `locked` while
 * another process holds it.
 */
export function lockDirectory(directory: string): () => void {
  const database = openDatabase(join(directory, "lock"));
  try {
    database.exec("PRAGMA busy_timeout = 0");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw lockedError(directory);
  }
  return () => database.close();
}

export function lockedError(directory: string): PlatformError {
  const message = `another process uses the data in ${directory}; stop that server first`;
  return new PlatformError("locked", message);
}
