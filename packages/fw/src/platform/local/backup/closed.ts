import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../../errors.ts";
import { damageOf } from "../damage.ts";
import { closeStore, openMark } from "../empty-log.ts";
import { lockDirectory } from "../lock.ts";
import { requirePlace } from "../place.ts";
import { openDatabase } from "../sqlite.ts";

/** Holds data that no server works on, and keeps servers from it; fails with `locked` where one does, with `data` where there is none. */
export function holdClosed(directory: string): {
  readonly at: string;
  stillHeld(): Promise<void>;
  release(): void;
} {
  requirePlace(directory);
  if (!existsSync(join(directory, "store"))) throw new PlatformError("data", `there is no data in ${directory}`);
  const unlock = lockDirectory(directory);
  try {
    const damage = damageOf(directory);
    if (damage !== undefined) throw new PlatformError("data", `the data in ${directory} cannot be read (${damage})`);
    // What a server that was killed left in the log comes to the store first.
    const database = openDatabase(join(directory, "store"));
    closeStore(database, openMark(database, directory));
    return { at: new Date().toISOString(), stillHeld: async () => {}, release: unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}
