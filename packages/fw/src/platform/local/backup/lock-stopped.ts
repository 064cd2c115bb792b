import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../../errors.ts";
import { damageOf } from "../damage.ts";
import { closeStore, openMark } from "../empty-log.ts";
import { lockDirectory } from "../lock.ts";
import { requireDataDirectory } from "../data-directory.ts";
import { openDatabase } from "../sqlite.ts";

/**
 * Locks the data in a directory, so that no server can start until `release` is called. Throws a PlatformError `locked`
 * if a server is running, and `data` if the data is missing or damaged.
 */
export function holdClosed(directory: string): {
  readonly at: string;
  requireHeld(): Promise<void>;
  release(): void;
} {
  requireDataDirectory(directory);
  if (!existsSync(join(directory, "store"))) throw new PlatformError("data", `there is no data in ${directory}`);
  const unlock = lockDirectory(directory);
  try {
    const damage = damageOf(directory);
    if (damage !== undefined) throw new PlatformError("data", `the data in ${directory} cannot be read (${damage})`);
    // Moves writes from the log of a killed server to the store.
    const database = openDatabase(join(directory, "store"));
    closeStore(database, openMark(database, directory));
    return { at: new Date().toISOString(), requireHeld: async () => {}, release: unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}
