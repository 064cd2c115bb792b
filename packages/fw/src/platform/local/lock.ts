import { join } from "node:path";
import { PlatformError } from "../errors.ts";
import { isBusy, openDatabase } from "./sqlite.ts";

/**
 * Takes a data directory for this process; call the result to let it go. The lock is SQLite's on a file of its own, so the
 * system lets go of it when the process ends in any way. Fails with `locked` while another has it.
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

/** The error of a directory that another process has. */
export function lockedError(directory: string): PlatformError {
  const message = `the data in ${directory} is in use by another process; stop the server that runs on it first`;
  return new PlatformError("locked", message);
}
