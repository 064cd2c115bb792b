import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PlatformError } from "../../errors.ts";
import { ensureDirectory } from "../files.ts";
import { lockDirectory } from "../lock.ts";
import { markFile } from "../open-mark.ts";
import { restoringFile } from "../data-directory.ts";
import { setAsideDirectory } from "../set-aside.ts";
import { copyBack, backupModelFile, type BackupRecord } from "./backup.ts";

/** SQLite's log files, which may disappear while another connection closes. */
const logs = ["store-wal", "store-shm"];

/** The files and directories of a data directory that contain data. */
const entries = ["store", ...logs, markFile, "secrets", "objects", setAsideDirectory];

const freshDirectory = "restoring";

export interface RestoreResult {
  readonly record: BackupRecord;
  /** The directory with the previous data; absent if there was none. */
  readonly before?: string;
}

export interface RestoreOptions {
  readonly replace: boolean;
  readonly now: Date;
  /** The path for the application's model, if the backup has one. */
  readonly model?: string;
}

/**
 * Replaces the data in a directory with a backup, all or nothing. Throws a PlatformError `locked` while a process is
 * using the data, and `data` if the backup is incomplete or damaged, or if data exists and `replace` is false. The
 * previous data is moved aside, not deleted. After an interrupted restore, the data cannot be opened until the restore
 * is run again.
 */
export async function restoreData(
  backup: string,
  directory: string,
  { replace, now, model }: RestoreOptions,
): Promise<RestoreResult> {
  ensureDirectory(directory);
  const unlock = lockDirectory(directory);
  try {
    const marker = join(directory, restoringFile);
    const existing = entries.filter((name) => existsSync(join(directory, name)));
    if (existing.length > 0 && !replace && !existsSync(marker))
      throw new PlatformError(
        "data",
        `${directory} already has data; pass --replace to move it aside and restore the backup`,
      );
    const fresh = join(directory, freshDirectory);
    await rm(fresh, { recursive: true, force: true });
    const record = await copyBackup(backup, fresh);
    await writeFile(marker, `${JSON.stringify({ backup })}\n`, { flush: true });
    const before = existing.length === 0 ? undefined : await moveAside(directory, existing, now);
    for (const name of await readdir(fresh))
      if (entries.includes(name)) await moveEntry(join(fresh, name), join(directory, name));
    if (model !== undefined && record.model !== undefined) {
      await mkdir(dirname(model), { recursive: true, mode: 0o700 });
      await rename(join(fresh, backupModelFile), model);
    }
    await rm(marker);
    await rm(fresh, { recursive: true });
    return { record, ...(before !== undefined && { before }) };
  } finally {
    unlock();
  }
}

async function copyBackup(backup: string, fresh: string): Promise<BackupRecord> {
  try {
    return await copyBack(backup, fresh);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

async function moveAside(directory: string, names: readonly string[], now: Date): Promise<string> {
  const before = join(directory, `before-${now.toISOString().replaceAll(":", "-")}`);
  await mkdir(before, { mode: 0o700 });
  for (const name of names) await moveEntry(join(directory, name), join(before, name));
  return before;
}

/** Moves a file or directory. SQLite may have deleted a log in the meantime, when a connection closed. */
async function moveEntry(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || !logs.includes(basename(from))) throw error;
  }
}
