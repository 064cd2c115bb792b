import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PlatformError } from "../../errors.ts";
import { keepDirectory } from "../files.ts";
import { lockDirectory } from "../lock.ts";
import { markFile } from "../open-mark.ts";
import { restoringFile } from "../place.ts";
import { setAsideDirectory } from "../set-aside.ts";
import { copyBack, modelOfBackup, type BackupRecord } from "./backup.ts";

/** What is data in a data directory. */
const entries = ["store", "store-wal", "store-shm", markFile, "secrets", "objects", setAsideDirectory];

const freshDirectory = "restoring";

/** What a restore came to. */
export interface Restored {
  readonly record: BackupRecord;
  /** Where the data is that was there before; absent where there was none. */
  readonly before?: string;
}

export interface RestoreOptions {
  readonly replace: boolean;
  readonly now: Date;
  /** The file that gets the model of the application, if the backup has one. */
  readonly model?: string;
}

/**
 * Puts a backup in the place of the data in a directory, which nobody works on meanwhile, all of it or nothing: fails with `locked` while
 * somebody does, and with `data` where the backup is not whole, or where there is data and `replace` is not said. What was there before is
 * kept. Where it is cut short, nothing opens the data until it was done again.
 */
export async function restoreData(
  backup: string,
  directory: string,
  { replace, now, model }: RestoreOptions,
): Promise<Restored> {
  keepDirectory(directory);
  const unlock = lockDirectory(directory);
  try {
    const marker = join(directory, restoringFile);
    const kept = entries.filter((name) => existsSync(join(directory, name)));
    if (kept.length > 0 && !replace && !existsSync(marker))
      throw new PlatformError(
        "data",
        `there is data in ${directory}: with --replace it is put aside, and the backup takes its place`,
      );
    const fresh = join(directory, freshDirectory);
    await rm(fresh, { recursive: true, force: true });
    const record = await copied(backup, fresh);
    await writeFile(marker, `${JSON.stringify({ backup })}\n`, { flush: true });
    const before = kept.length === 0 ? undefined : await putAside(directory, kept, now);
    for (const name of await readdir(fresh))
      if (entries.includes(name)) await rename(join(fresh, name), join(directory, name));
    if (model !== undefined && record.model !== undefined) {
      await mkdir(dirname(model), { recursive: true, mode: 0o700 });
      await rename(join(fresh, modelOfBackup), model);
    }
    await rm(marker);
    await rm(fresh, { recursive: true });
    return { record, ...(before !== undefined && { before }) };
  } finally {
    unlock();
  }
}

async function copied(backup: string, fresh: string): Promise<BackupRecord> {
  try {
    return await copyBack(backup, fresh);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

async function putAside(directory: string, kept: readonly string[], now: Date): Promise<string> {
  const before = join(directory, `before-${now.toISOString().replaceAll(":", "-")}`);
  await mkdir(before, { mode: 0o700 });
  for (const name of kept) {
    try {
      await rename(join(directory, name), join(before, name));
    } catch (error) {
      // What SQLite keeps beside a store may go when whoever had it open lets go of it.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return before;
}
